const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const digitOf = new Uint8Array(128)
for (let digit = 0; digit < alphabet.length; digit++) digitOf[alphabet.charCodeAt(digit)] = digit

/** The byte at a place of a text in base64, of which nothing else is decoded; some byte where the text is none or too short. */
export function byteIn(text: string, at: number): number {
  const place = at % 3
  const letter = ((at - place) / 3) * 4 + place
  const high = digitOf[text.charCodeAt(letter)]!
  const low = digitOf[text.charCodeAt(letter + 1)]!
  // Of the two letters the first has two bits less each time: six, four, two.
  return ((high << (2 + 2 * place)) | (low >> (4 - 2 * place))) & 255
}
