import { createKeccak } from 'hash-wasm'

// WebAssembly: the hash of a header takes a twentieth of the time that it takes in JavaScript, and every block has one.
const hasher = await createKeccak(256)

/** Keccak-256 as hex with its prefix. */
export function keccak(bytes: Uint8Array): `0x${string}` {
  return `0x${hasher.init().update(bytes).digest('hex')}`
}

/** Of bytes that are told as hex with its prefix. */
export function keccakOfHex(hex: string): `0x${string}` {
  return keccak(Buffer.from(hex.slice(2), 'hex'))
}
