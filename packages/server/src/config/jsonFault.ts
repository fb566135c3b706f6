/** `offset` counts characters; `message` says what was found and what was expected. */
export type JsonFault = { offset: number; message: string }

type Expected = 'value' | 'name' | 'colon' | 'comma' | 'end'

const space = /\s*/y
const mark = /[{}[\],:]/y
const quoted = /"(?:[^"\\\n\r]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
const plain = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/**
 * Finds the first place where a text without comments is not JSON. A trailing comma is allowed.
 * Null if the text is JSON.
 */
export function findJsonFault(text: string): JsonFault | null {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  for (let offset = endOf(space, text, 0)!; ; offset = endOf(space, text, offset)!) {
    if (offset === text.length) {
      if (expected === 'end') return null
      return { offset, message: `the file ends here; expected ${wordsOf(expected, open.at(-1))}` }
    }
    const end =
      endOf(mark, text, offset) ?? endOf(quoted, text, offset) ?? endOf(plain, text, offset)
    if (end === null && text[offset] === '"' && (expected === 'value' || expected === 'name'))
      return {
        offset,
        message: 'this text has no closing " or contains an invalid \\ escape',
      }
    const next: Expected | null =
      end === null ? null : expectedAfter(text.slice(offset, end), expected, open)
    if (end === null || next === null)
      return { offset, message: `expected ${wordsOf(expected, open.at(-1))}` }
    expected = next
    offset = end
  }
}

function endOf(pattern: RegExp, text: string, offset: number): number | null {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : null
}

/** State after a token, and the bracket it opens or closes. Null if the token is misplaced. */
function expectedAfter(token: string, expected: Expected, open: ('{' | '[')[]): Expected | null {
  const inside = open.at(-1)
  const isEnd =
    (token === '}' && inside === '{' && (expected === 'name' || expected === 'comma')) ||
    (token === ']' && inside === '[' && (expected === 'value' || expected === 'comma'))
  if (isEnd) {
    open.pop()
    return open.length === 0 ? 'end' : 'comma'
  }
  if (expected === 'colon') return token === ':' ? 'value' : null
  if (expected === 'comma') return token === ',' ? (inside === '{' ? 'name' : 'value') : null
  if (expected === 'name') return token.startsWith('"') ? 'colon' : null
  if (expected === 'end' || /^[}\],:]/.test(token)) return null
  if (token === '{' || token === '[') {
    open.push(token)
    return token === '{' ? 'name' : 'value'
  }
  return open.length === 0 ? 'end' : 'comma'
}

function wordsOf(expected: Expected, inside: '{' | '[' | undefined): string {
  const close = inside === '{' ? '}' : ']'
  switch (expected) {
    case 'name':
      return 'a name in double quotes, or }'
    case 'colon':
      return ': after the name'
    case 'comma':
      return `, or ${close}`
    case 'end':
      return 'nothing after the last }'
    default:
      return 'a value: a text in double quotes, a number, true, false, null, { or ['
  }
}
