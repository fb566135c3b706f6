// Control and format characters (direction overrides, zero-width, tags), lone surrogates, private
// use.
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\ufffd\ufffe\uffff]/u
const space = /[\t-\r\p{Z}]/u
const mark = /\p{M}/u
const joiner = '\u200d'
// Characters an emoji joiner may follow.
const joinsAfter = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u
const joinsBefore = /\p{Extended_Pictographic}/u
const joinersBeforeOthers = /\u200d+(?!\u200d|\p{Extended_Pictographic})/gu
// More marks than any script stacks on one letter. Longer stacks overlap neighboring text.
const marksMax = 3

/**
 * Makes untrusted text safe to show: one line, no hidden characters, at most `charsMax` code
 * points.
 */
export function cleanText(text: string, charsMax: number): string {
  const chars: string[] = []
  let isSpaceDue = false
  let isJoinerDue = false
  let markCount = 0
  for (const char of visibleOf(text)) {
    const last = chars.at(-1)
    if (space.test(char)) {
      isSpaceDue = last !== undefined
      isJoinerDue = false
      continue
    }
    if (char === joiner) {
      isJoinerDue = !isSpaceDue && last !== undefined && joinsAfter.test(last)
      continue
    }
    const isMark = mark.test(char)
    if (isMark && (last === undefined || isSpaceDue || markCount >= marksMax)) continue
    markCount = isMark ? markCount + 1 : 0
    const isJoined = isJoinerDue && joinsBefore.test(char)
    const added = isSpaceDue ? [' ', char] : isJoined ? [joiner, char] : [char]
    if (chars.length + added.length > charsMax) break
    chars.push(...added)
    isSpaceDue = false
    isJoinerDue = false
  }
  return chars.join('').normalize('NFC')
}

/** Removes hidden characters, except spaces and joiners, which `cleanText` handles by context. */
function visibleOf(text: string): string {
  let visible = ''
  for (const char of text)
    if (char === joiner || space.test(char) || !hidden.test(char)) visible += char
  // A joiner prevents its neighbors from composing, and the composed character may not allow a
  // joiner. So such joiners are removed before normalizing.
  return visible.replace(joinersBeforeOthers, '').normalize('NFC')
}

const decoder = new TextDecoder('utf-8')

/**
 * Decodes and cleans UTF-8 bytes, dropping invalid ones. Reads no more bytes than `charsMax` needs.
 */
export function cleanBytes(bytes: Uint8Array, charsMax: number): string {
  // Up to four bytes per code point, doubled for removed characters.
  return cleanText(decoder.decode(bytes.subarray(0, 8 * charsMax)), charsMax)
}
