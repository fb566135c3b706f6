const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const digitOf = new Uint8Array(128)
for (let digit = 0; digit < alphabet.length; digit++) digitOf[alphabet.charCodeAt(digit)] = digit

/**
 * The byte at `at` of a base64 text, without decoding the rest; an arbitrary byte if the text is
 * invalid or too short.
 */
export function base64ByteAt(text: string, at: number): number {
  const place = at % 3
  const letter = ((at - place) / 3) * 4 + place
  const high = digitOf[text.charCodeAt(letter)]!
  const low = digitOf[text.charCodeAt(letter + 1)]!
  // The first of the two characters contributes six, four or two bits.
  return ((high << (2 + 2 * place)) | (low >> (4 - 2 * place))) & 255
}
