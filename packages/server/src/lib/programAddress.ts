import { createHash } from 'node:crypto'
import { decodeBase58, encodeBase58 } from './bytes/base58.ts'

const bumpMax = 255
const derivedWord = Buffer.from('ProgramDerivedAddress')

/** The address of a Solana program for some seeds: the first one that is not on the curve. */
export function programAddressOf(program: string, seeds: readonly Buffer[]): string {
  const programBytes = decodeBase58(program)!
  for (let bump = bumpMax; bump >= 0; bump--) {
    const hash = createHash('sha256')
    for (const part of [...seeds, Buffer.from([bump]), programBytes, derivedWord]) hash.update(part)
    const address = hash.digest()
    // Addresses off the curve have no private key, so only programs can use them.
    if (!isOnCurve(address)) return encodeBase58(address)
  }
  return program
}

// The curve of Ed25519: -x² + y² = 1 + d·x²·y² over the field of p.
const p = 2n ** 255n - 19n
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const signBit = 1n << 255n

/** Is it the y of a point? Then x² = (y² - 1) / (d·y² + 1) has a root. */
function isOnCurve(bytes: Buffer): boolean {
  let y = 0n
  for (const at of [24, 16, 8, 0]) y = (y << 64n) | bytes.readBigUInt64LE(at)
  y &= ~signBit
  const y2 = (y * y) % p
  const x2 = ((y2 - 1n + p) * inverse((d * y2 + 1n) % p)) % p
  return x2 === 0n || power(x2, (p - 1n) / 2n) === 1n
}

const inverse = (value: bigint) => power(value, p - 2n)

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % p]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % p
    square = (square * square) % p
  }
  return result
}
