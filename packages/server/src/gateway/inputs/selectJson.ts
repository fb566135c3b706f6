/**
 * The members to keep of a JSON value. A null member is kept completely. `map` is an object whose
 * names are data, such as token ids.
 */
export type MemberSelection =
  | { type: 'object'; members: ReadonlyMap<string, MemberSelection | null> }
  | { type: 'list' | 'map'; of: MemberSelection }

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const listStart = 0x5b
const listEnd = 0x5d
const objectStart = 0x7b
const objectEnd = 0x7d

/**
 * Returns the JSON reduced to the selected members. Works on the text, because parsing and
 * serializing would change numbers (`0.0000001` would become `1e-7`). The text must have no
 * whitespace between tokens, which holds for all answers. A value whose type does not match the
 * selection stays unchanged.
 */
export function selectMembers(json: string, wanted: MemberSelection): string {
  const parts: string[] = []
  copyKept(json, 0, wanted, parts)
  return parts.join('')
}

/** Copies the selected parts of the value at `start`. Returns the index after the value. */
function copyKept(
  json: string,
  start: number,
  wanted: MemberSelection | null,
  parts: string[],
): number {
  const first = json.charCodeAt(start)
  if (wanted?.type === 'list' && first === listStart) return copyList(json, start, wanted.of, parts)
  if (wanted !== null && wanted.type !== 'list' && first === objectStart)
    return copyObject(json, start, wanted, parts)
  const end = endOfValue(json, start)
  parts.push(json.slice(start, end))
  return end
}

function copyList(json: string, start: number, of: MemberSelection, parts: string[]): number {
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

function copyObject(json: string, start: number, wanted: MemberSelection, parts: string[]): number {
  let at = start + 1
  let isFirst = true
  parts.push('{')
  while (json.charCodeAt(at) !== objectEnd) {
    if (json.charCodeAt(at) === comma) at += 1
    const nameEnd = endOfText(json, at)
    const isObject = wanted.type === 'object'
    // Member names are compared without unescaping, because names in answers never contain escapes.
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
      // This bracket closes the container of a bare number or literal.
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (code === comma && depth === 0) return at
    at += 1
  }
  return json.length
}

/** Returns the index after the JSON string that starts at `start`. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = json.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === backslash) at += 1
    else if (Number.isNaN(code)) return json.length
  }
}
