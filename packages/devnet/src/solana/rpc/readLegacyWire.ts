import { encodeBase58 } from '../base58.ts'
import { RpcFault } from './rpcFault.ts'

export type SentInstruction = { program: string; accounts: readonly string[]; data: Buffer }
export type SentTransaction = {
  signers: ReadonlySet<string>
  instructions: readonly SentInstruction[]
}

const [signatureBytes, keyBytes] = [64, 32]
const versioned = 0x80

/** Reads a legacy transaction in its wire form. */
export function readLegacyWire(base64: string): SentTransaction {
  const bytes = Buffer.from(base64, 'base64')
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length)
      throw new RpcFault(-32_602, 'failed to deserialize transaction: io error')
    at += length
    return bytes.subarray(at - length, at)
  }
  const takeLength = () => {
    let [length, shift] = [0, 0]
    for (;;) {
      const byte = take(1)[0]!
      length |= (byte & 0x7f) << shift
      shift += 7
      if (byte < 0x80) return length
    }
  }
  take(takeLength() * signatureBytes)
  if (bytes[at]! >= versioned)
    throw new RpcFault(-32_602, 'this node simulates legacy transactions alone')
  const signerCount = take(3)[0]!
  const keys = Array.from({ length: takeLength() }, () => encodeBase58(take(keyBytes)))
  take(keyBytes)
  const instructions = Array.from({ length: takeLength() }, () => {
    const program = keys[take(1)[0]!]!
    const accounts = [...take(takeLength())].map((index) => keys[index] ?? '')
    return { program, accounts, data: take(takeLength()) }
  })
  return { signers: new Set(keys.slice(0, signerCount)), instructions }
}
