// Controls, format characters (direction overrides, zero-width, tags), lone surrogates, private use.
// The joiner of emoji (U+200D) is a format character too and stays.
const hidden = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\ufffd\ufffe\uffff]/gu
const spaces = /[\s\p{Z}]+/gu
// More marks than any script stacks on one letter; text that climbs over its neighbours.
const markPile = /(\p{M}{3})\p{M}+/gu
const danglingJoiner = /^[\u200d\p{M}]+|\u200d+$/gu

/** Text of a stranger made safe to show: one line, nothing hidden, at most `charsMax` code points. */
export function cleanText(text: string, charsMax: number): string {
  const visible = text
    // Line breaks and tabs are controls, but what they part must stay apart.
    .replace(spaces, ' ')
    .replace(hidden, '')
    .normalize('NFC')
    .replace(markPile, '$1')
    .replace(spaces, ' ')
    .trim()
  const chars = [...visible]
  const short = chars.length > charsMax ? chars.slice(0, charsMax).join('') : visible
  return short.replace(danglingJoiner, '').trim()
}

const decoder = new TextDecoder('utf-8')

/** Bytes as text; what is not UTF-8 is left out. Reads no more than `charsMax` needs. */
export function cleanBytes(bytes: Uint8Array, charsMax: number): string {
  // Up to four bytes a code point, and as many again for what is taken out.
  return cleanText(decoder.decode(bytes.subarray(0, 8 * charsMax)), charsMax)
}
