// Controls, format characters (direction overrides, zero-width, tags), lone surrogates, private use.
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\ufffd\ufffe\uffff]/u
const space = /[\t-\r\p{Z}]/u
const mark = /\p{M}/u
const joiner = '\u200d'
// What the joiner of emoji may stand between.
const joinsAfter = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u
const joinsBefore = /\p{Extended_Pictographic}/u
const joinersBeforeOthers = /\u200d+(?!\u200d|\p{Extended_Pictographic})/gu
// More than any script stacks on one letter; text with more climbs over its neighbours.
const marksMax = 3

/** Text of a stranger made safe to show: one line, nothing hidden, at most `charsMax` code points. */
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

/** Without what is hidden, except the spaces and joiners that are looked at in their place. */
function visibleOf(text: string): string {
  let visible = ''
  for (const char of text)
    if (char === joiner || space.test(char) || !hidden.test(char)) visible += char
  // A joiner keeps its neighbours from composing, and what they compose to may be nothing that joins.
  return visible.replace(joinersBeforeOthers, '').normalize('NFC')
}

const decoder = new TextDecoder('utf-8')

/** Bytes as text; what is not UTF-8 is left out. Reads no more than `charsMax` needs. */
export function cleanBytes(bytes: Uint8Array, charsMax: number): string {
  // Up to four bytes a code point, and as many again for what is taken out.
  return cleanText(decoder.decode(bytes.subarray(0, 8 * charsMax)), charsMax)
}
