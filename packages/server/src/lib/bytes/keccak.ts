import { createKeccak } from 'hash-wasm'

// WebAssembly: hashing a header takes a twentieth of the time in JavaScript, and every block has
// one.
const hasher = await createKeccak(256)

/** Keccak-256 as hex with 0x. */
export function keccak(bytes: Uint8Array): `0x${string}` {
  return `0x${hasher.init().update(bytes).digest('hex')}`
}

/** The hash of bytes given as hex with 0x. */
export function keccakOfHex(hex: string): `0x${string}` {
  return keccak(Buffer.from(hex.slice(2), 'hex'))
}
