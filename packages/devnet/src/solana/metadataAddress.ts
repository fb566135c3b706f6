import { createHash } from 'node:crypto'
import { decodeBase58, encodeBase58 } from './base58.ts'

export const metadataProgram = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

const program = decodeBase58(metadataProgram)
const prime = 2n ** 255n - 19n
const known = new Map<string, string>()

/**
 * Where Metaplex keeps what a mint is called: the first address of its program that is no point of
 * the curve.
 */
export function metadataAddressOf(mint: string): string {
  const found = known.get(mint) ?? findAddress(decodeBase58(mint))
  known.set(mint, found)
  return found
}

function findAddress(mint: Buffer): string {
  for (let bump = 255; ; bump--) {
    const parts = ['metadata', program, mint, Buffer.of(bump), program, 'ProgramDerivedAddress']
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    const address = hash.digest()
    if (!isPoint(address)) return encodeBase58(address)
  }
}

/**
 * Does -x² + y² = 1 - (121665/121666)·x²y² have an x? By the criterion of Euler, with both sides
 * times 121666.
 */
function isPoint(address: Buffer): boolean {
  const bytes = Buffer.from(address).reverse()
  bytes[0]! &= 0x7f
  const y = BigInt(`0x${bytes.toString('hex')}`)
  const square = (y * y) % prime
  // A fraction is a square where the product of both its parts is.
  const product = (121_666n * (square - 1n) * (121_666n - 121_665n * square)) % prime
  const residue = powerOf((product + prime) % prime, (prime - 1n) / 2n)
  return residue <= 1n
}

function powerOf(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % prime
    if (bit === '1') result = (result * base) % prime
  }
  return result
}
