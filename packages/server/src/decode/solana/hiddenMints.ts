import { decodeBase58 } from '../../lib/bytes/base58.ts'
import type { RpcInstruction, RpcMessage, RpcMeta } from '../../model/solana/rpcTransaction.ts'

const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
// Token-2022's confidential instructions: deposit, withdraw, transfer, transfer with a fee; mint
// and burn.
const hidingTags: ReadonlySet<number> = new Set([0x1b05, 0x1b06, 0x1b07, 0x1b0d, 0x2a03, 0x2a04])
const mintAt = 1
// The shortest of them, a deposit, has eleven bytes. Shorter data, such as a plain transfer, is not
// decoded.
const textCharsMin = 15
const noMints: ReadonlySet<string> = new Set()

/** Mints of which a transaction moved encrypted amounts. */
export function hiddenMints(message: RpcMessage, meta: RpcMeta): ReadonlySet<string> {
  const { accountKeys } = message
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  const isNamed = [accountKeys, writable, readonly].some((keys) => keys.includes(token2022))
  if (!isNamed) return noMints
  const keys = [...accountKeys, ...writable, ...readonly]
  const mints = new Set<string>()
  const look = (instructions: readonly RpcInstruction[]) => {
    for (const { programIdIndex, accounts, data } of instructions) {
      const mint = keys[accounts[mintAt] ?? -1]
      if (keys[programIdIndex] === token2022 && mint !== undefined && isHiding(data))
        mints.add(mint)
    }
  }
  look(message.instructions)
  for (const { instructions } of meta.innerInstructions ?? []) look(instructions)
  return mints
}

function isHiding(data: string | Buffer): boolean {
  if (typeof data === 'string' && data.length < textCharsMin) return false
  const bytes = typeof data === 'string' ? decodeBase58(data) : data
  return bytes !== null && bytes.length > 1 && hidingTags.has(bytes[0]! * 256 + bytes[1]!)
}
