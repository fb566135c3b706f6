import { readFileSync } from 'node:fs'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml'
import { ConfigFileError } from './errors.ts'

/** A place in a file, both counted from 1. */
export type FilePosition = { line: number; column: number }

/** A configuration file: its content, and where each value is. */
export type ConfigFile = {
  value: Record<string, unknown>
  /**
   * Place of a path such as `chains.eth.rpc[0]`, or of its longest existing part; null if nothing
   * of it exists.
   */
  placeOf(path: string): FilePosition | null
}

/** Reads JSON, JSON with comments, and YAML. Without comments all of them are YAML. */
export function readConfigFile(file: string): ConfigFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigFileError({ file, reason: (error as Error).message, cause: error })
  }
  const lines = new LineCounter()
  const isJson = /^\s*(\/\/|\/\*|\{)/.test(text)
  const source = isJson ? withoutComments(text) : text
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    // Addresses begin with 0x but are not numbers.
    customTags: (tags) =>
      tags.filter(
        (tag) =>
          typeof tag === 'string' || !('format' in tag) || !/^(HEX|OCT)$/.test(String(tag.format)),
      ),
  })
  const [error] = document.errors
  if (error !== undefined) {
    // YAML reads JSON as a flow collection, and its messages would speak of indentation where a
    // comma is missing.
    const fault = isJson && !/\.ya?ml$/i.test(file) ? findJsonFault(source) : null
    const { line, col } = lines.linePos(fault?.offset ?? error.pos[0])
    const message = fault === null ? error.message : `not valid JSON: ${fault.message}`
    throw new ConfigFileError({ file, reason: `line ${line}, column ${col}: ${message}` })
  }
  const root = document.contents
  if (!isMap(root))
    throw new ConfigFileError({ file, reason: 'it must hold one object: settings by their names' })
  return {
    value: document.toJS() as Record<string, unknown>,
    placeOf(path) {
      const offset = offsetOf(root, partsOf(path))
      if (offset === null) return null
      const { line, col } = lines.linePos(offset)
      return { line, column: col }
    },
  }
}

/** Splits `chains.eth.rpc[0].http_url` into its parts; an index becomes a number. */
function partsOf(path: string): (string | number)[] {
  return path.split('.').flatMap((part) => {
    const [name, ...positions] = part.split(/\[|\]\[?/).filter((word) => word !== '')
    return [name!, ...positions.map(Number)]
  })
}

/** Offset of the last part that exists; for a key that of the key itself, not of its value. */
function offsetOf(root: YAMLMap, parts: readonly (string | number)[]): number | null {
  let node: unknown = root
  let offset: number | null = null
  for (const part of parts) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? key.value : key) === part)
      if (pair === undefined) return offset
      offset = (pair.key as Node).range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part]
      offset = (node as Node | undefined)?.range?.[0] ?? offset
    } else return offset
  }
  return offset
}

/** Replaces JSON's comments and tabs by spaces, so that all offsets stay. */
function withoutComments(text: string): string {
  const parts = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\t/g
  return text.replace(parts, (part) => (part.startsWith('"') ? part : part.replace(/[^\n]/g, ' ')))
}

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
