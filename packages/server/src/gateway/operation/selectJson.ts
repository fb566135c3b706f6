/** What is kept of a JSON value. `members`: null keeps all that a member holds. `map`: an object whose names are the data's. */
export type Wanted =
  | { type: 'object'; members: ReadonlyMap<string, Wanted | null> }
  | { type: 'list' | 'map'; of: Wanted }

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const listStart = 0x5b
const listEnd = 0x5d
const objectStart = 0x7b
const objectEnd = 0x7d

/**
 * The JSON with the members alone that are wanted. Works on the text: numbers would not all survive being read and written
 * (`0.0000001` would become `1e-7`). The text has no space between its parts, as all of ours. A value of another form than what is
 * wanted stays as it is.
 */
export function keptMembers(json: string, wanted: Wanted): string {
  const parts: string[] = []
  copyKept(json, 0, wanted, parts)
  return parts.join('')
}

/** Gives where the value ends. */
function copyKept(json: string, start: number, wanted: Wanted | null, parts: string[]): number {
  const first = json.charCodeAt(start)
  if (wanted?.type === 'list' && first === listStart) return copyList(json, start, wanted.of, parts)
  if (wanted !== null && wanted.type !== 'list' && first === objectStart)
    return copyObject(json, start, wanted, parts)
  const end = endOfValue(json, start)
  parts.push(json.slice(start, end))
  return end
}

function copyList(json: string, start: number, of: Wanted, parts: string[]): number {
  let at = start + 1
  parts.push('[')
  while (json.charCodeAt(at) !== listEnd) {
    if (json.charCodeAt(at) === comma) {
      parts.push(',')
      at += 1
    }
    at = copyKept(json, at, of, parts)
  }
  parts.push(']')
  return at + 1
}

function copyObject(json: string, start: number, wanted: Wanted, parts: string[]): number {
  let at = start + 1
  let isFirst = true
  parts.push('{')
  while (json.charCodeAt(at) !== objectEnd) {
    if (json.charCodeAt(at) === comma) at += 1
    const nameEnd = endOfText(json, at)
    const isObject = wanted.type === 'object'
    // No name of ours has an escape.
    const inside = isObject ? wanted.members.get(json.slice(at + 1, nameEnd - 1)) : wanted.of
    if (inside === undefined) {
      at = endOfValue(json, nameEnd + 1)
      continue
    }
    parts.push(isFirst ? '' : ',', json.slice(at, nameEnd + 1))
    isFirst = false
    at = copyKept(json, nameEnd + 1, inside, parts)
  }
  parts.push('}')
  return at + 1
}

function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      at = endOfText(json, at)
      if (depth === 0) return at
      continue
    }
    if (code === objectStart || code === listStart) depth += 1
    else if (code === objectEnd || code === listEnd) {
      // The end of what a number or word is in.
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (code === comma && depth === 0) return at
    at += 1
  }
  return json.length
}

/** Where a text ends that begins there. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = json.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === backslash) at += 1
    else if (Number.isNaN(code)) return json.length
  }
}
