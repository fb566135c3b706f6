import { keccak } from '../../../lib/bytes/keccak.ts'
import { rlp } from './rlp.ts'

type Field = readonly [name: string, type: 'bytes' | 'quantity']

// Yellow paper 4.4.3, in the order in which they are hashed.
const fields: readonly Field[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
]

// Each upgrade appends its own: London, Shanghai, Cancun (three), Prague, Glamsterdam (two).
const laterFields: readonly Field[] = [
  ['baseFeePerGas', 'quantity'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
  ['blockAccessListHash', 'bytes'],
  ['slotNumber', 'quantity'],
]

// What nodes tell beside the header: derived from it, or words of one chain for parts of it.
const besideHeader = [
  ...['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals', 'author'],
  ...['sealFields', 'milliTimestamp', 'timestampMs', 'l1BlockNumber', 'sendCount', 'sendRoot'],
]

const knownNames: ReadonlySet<string> = new Set([
  ...[...fields, ...laterFields].map(([name]) => name),
  ...besideHeader,
])

const hexPattern = /^0x[\da-f]*$/i

/** The hash that the told fields make up. Null: some are missing, or are no hex. */
export function headerHashOf(raw: object): string | null {
  const told = raw as Record<string, unknown>
  const items: string[] = []
  for (const field of fields) {
    const item = itemOf(told, field)
    if (item === null) return null
    items.push(item)
  }
  const count = laterFields.findLastIndex(([name]) => isTold(told[name])) + 1
  for (const field of laterFields.slice(0, count)) {
    // One that an upgrade left out is empty where a later one is there.
    const item = isTold(told[field[0]]) ? itemOf(told, field) : '0x'
    if (item === null) return null
    items.push(item)
  }
  return keccak(rlp(items))
}

/** Names of fields that may belong to a header of a later form. */
export function unknownFieldsOf(raw: object): string[] {
  return Object.keys(raw).filter((name) => !knownNames.has(name))
}

function isTold(value: unknown): boolean {
  return value !== undefined && value !== null
}

function itemOf(header: Record<string, unknown>, [name, type]: Field): string | null {
  const value = header[name]
  // Proof of stake removed it, and some nodes leave it out.
  if (name === 'difficulty' && !isTold(value)) return '0x'
  if (typeof value !== 'string' || !hexPattern.test(value)) return null
  return type === 'bytes' ? (value as string) : toMinimal(value)
}

/** As RLP has integers: no leading zeros, and nothing at all for 0. */
export function toMinimal(quantity: string): string {
  const digits = quantity.slice(2).replace(/^0+/, '')
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}
