// Controls (C0, DEL, C1), format characters (bidi, zero-width, tags), lone surrogates, private use,
// line and paragraph separators.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/**
 * Returns a text as one line that is safe on a terminal and in a text log. Characters that move the
 * cursor, set a color, break a line or change the writing direction are escaped as in JSON (`
 * `, `\u001b`). JSON keeps its meaning.
 */
export function escapeText(text: string): string {
  return text.replace(unsafe, (char) => {
    const inJson = JSON.stringify(char).slice(1, -1)
    return inJson === char ? unitsOf(char) : inJson
  })
}

function unitsOf(char: string): string {
  return [...Array(char.length).keys()]
    .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
}
