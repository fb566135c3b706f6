import { readWord } from '../../venues/evm/asking/callWords.ts'
import { cleanBytes, cleanText } from '../tokens/cleanText.ts'

export type MetadataLimits = { nameCharsMax: number; symbolCharsMax: number }

/** Results of symbol(), name() and decimals() as 0x hex; null for a failed call. */
type MetadataAnswers = {
  symbol: string | null
  name: string | null
  decimals: string | null
}

type Metadata = { symbol: string; name: string; decimals: number; isUnreadable: boolean }

/**
 * Parses a token's metadata, whatever it answered. Without decimals(), amounts stay raw units
 * (decimals 0): a guessed number would move every price by powers of ten.
 */
export function readMetadata(answers: MetadataAnswers, limits: MetadataLimits): Metadata {
  const symbol = readText(answers.symbol, limits.symbolCharsMax)
  const name = readText(answers.name, limits.nameCharsMax)
  const decimals = answers.decimals === null ? undefined : readWord(answers.decimals, 0)
  const isScaled = decimals !== undefined && decimals <= 255n
  return {
    symbol: symbol || cleanText(name, limits.symbolCharsMax),
    name: name || symbol,
    decimals: isScaled ? Number(decimals) : 0,
    isUnreadable: !isScaled || symbol === '' || name === '',
  }
}

/** Reads an ABI string, or a bytes32 padded with zeros. Empty if the answer is neither. */
function readText(answer: string | null, charsMax: number): string {
  if (answer === null || !/^0x(?:[0-9a-f]{2})*$/i.test(answer)) return ''
  const bytes = Buffer.from(answer.slice(2), 'hex')
  if (bytes.length === 32) return cleanBytes(trimZeros(bytes), charsMax)
  const offset = readWord(answer, 0)
  if (offset === undefined || offset > BigInt(bytes.length - 32)) return ''
  const start = Number(offset) + 32
  const length = BigInt(`0x${bytes.subarray(start - 32, start).toString('hex')}`)
  // A length beyond the end of the data is wrong; all remaining bytes are taken.
  const end = length > BigInt(bytes.length - start) ? bytes.length : start + Number(length)
  return cleanBytes(bytes.subarray(start, end), charsMax)
}

function trimZeros(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}
