import { decodeBase58 } from './base58.ts'
import type { Wire, WrittenInstruction, WrittenMessage } from './rpcShapes.ts'

/** The signed part of a transaction; recorded ones fit, too. */
export type SignedTransaction = {
  version?: 'legacy' | number | undefined
  transaction: { signatures: readonly string[]; message: object }
}

/** Encodes a transaction in its wire form, in base64, as the format specifies. */
export function toWire({ transaction, version }: SignedTransaction): Wire {
  const signatures = transaction.signatures.map((text) => decodeBase58(text))
  const message = transaction.message as WrittenMessage
  const bytes =
    version === 1
      ? Buffer.concat([version1(message), ...signatures])
      : Buffer.concat([
          shortLength(signatures.length),
          ...signatures,
          older(message, version === 0),
        ])
  return [bytes.toString('base64'), 'base64']
}

function older(message: WrittenMessage, isVersion0: boolean): Buffer {
  const { accountKeys, instructions, addressTableLookups = [] } = message
  const parts = [
    Buffer.from(isVersion0 ? [0x80] : []),
    headerOf(message),
    ...[shortLength(accountKeys.length), ...accountKeys.map(key), blockhashOf(message)],
    shortLength(instructions.length),
    ...instructions.map(({ programIdIndex, accounts, data }) =>
      Buffer.concat([
        Buffer.from([programIdIndex]),
        sized(Buffer.from(accounts)),
        sized(bytesOf(data)),
      ]),
    ),
  ]
  if (isVersion0) {
    parts.push(shortLength(addressTableLookups.length))
    for (const { accountKey, writableIndexes, readonlyIndexes } of addressTableLookups)
      parts.push(
        key(accountKey),
        ...[writableIndexes, readonlyIndexes].map((list) => sized(Buffer.from(list))),
      )
  }
  return Buffer.concat(parts)
}

function version1(message: WrittenMessage): Buffer {
  const { accountKeys, instructions, transactionConfig: config = {} } = message
  const settings = [
    { bits: 0b11, bytes: 8, value: config.priorityFee },
    { bits: 0b100, bytes: 4, value: config.computeUnitLimit },
    { bits: 0b1000, bytes: 4, value: config.loadedAccountsDataSizeLimit },
    { bits: 0b10000, bytes: 4, value: config.heapSize },
  ].filter(({ value }) => value !== undefined && value !== null)
  const mask = Buffer.alloc(4)
  mask.writeUInt32LE(settings.reduce((sum, { bits }) => sum | bits, 0))
  return Buffer.concat([
    ...[Buffer.from([0x81]), headerOf(message), mask, blockhashOf(message)],
    Buffer.from([instructions.length, accountKeys.length]),
    ...accountKeys.map(key),
    ...settings.map(({ bytes, value }) => numberOf(BigInt(value!), bytes)),
    ...instructions.map(lengthsOf),
    ...instructions.map(({ accounts, data }) =>
      Buffer.concat([Buffer.from(accounts), bytesOf(data)]),
    ),
  ])
}

function lengthsOf({ programIdIndex, accounts, data }: WrittenInstruction): Buffer {
  const { length } = bytesOf(data)
  return Buffer.from([programIdIndex, accounts.length, length & 255, length >> 8])
}

function headerOf({ header }: WrittenMessage): Buffer {
  const { numReadonlySignedAccounts: signed = 0, numReadonlyUnsignedAccounts: unsigned = 0 } =
    header
  return Buffer.from([header.numRequiredSignatures, signed, unsigned])
}

function blockhashOf({ recentBlockhash }: WrittenMessage): Buffer {
  return recentBlockhash === undefined ? Buffer.alloc(32) : key(recentBlockhash)
}

const key = (text: string) => decodeBase58(text)
const bytesOf = (text: string) => decodeBase58(text)
const sized = (bytes: Buffer) => Buffer.concat([shortLength(bytes.length), bytes])

function shortLength(length: number): Buffer {
  const bytes: number[] = []
  for (let rest = length; ; rest >>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) return Buffer.from(bytes)
  }
}

function numberOf(value: bigint, bytes: number): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return buffer.subarray(0, bytes)
}
