// Accounts of mints and their metadata, byte by byte as the token and metadata programs store them.
import { bytesOf, hex, keyBytesOf, keyOf, u64 } from './transactionBuilder.ts'
import { type Mint, token2022Program } from './world.ts'

const noKey = Buffer.alloc(32)

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const text = (value: string) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)])

/** An optional key behind a flag of four bytes. */
const option = (key: string | null) =>
  Buffer.concat([u32(key === null ? 0 : 1), key === null ? noKey : keyBytesOf(key)])

/** One extension of a Token-2022 mint. */
export const extension = (type: number, value: Buffer) =>
  Buffer.concat([u16(type), u16(value.length), value])

/** `extensions` follow those with the token's name. */
export function mintBytes(address: string, mint: Mint, extensions: readonly Buffer[] = []): Buffer {
  const base = Buffer.concat([
    ...[option(mint.mintAuthority), u64(mint.supply), Buffer.from([mint.decimals, 1])],
    option(mint.freezeAuthority),
  ])
  if (mint.program !== token2022Program) return base
  const name = Buffer.concat([
    noKey,
    keyBytesOf(address),
    ...[mint.name, mint.symbol, ''].map(text),
    u32(0),
  ])
  const pointer = Buffer.concat([noKey, keyBytesOf(address)])
  const rules = [
    ...(mint.startsFrozen ? [extension(6, hex('02'))] : []),
    ...(mint.isBound ? [extension(9, Buffer.alloc(0))] : []),
  ]
  const all = [extension(18, pointer), extension(19, name), ...rules, ...extensions]
  return Buffer.concat([bytesOf(165, { 0: base }), hex('01'), ...all])
}

/** Texts are padded with zeros, as the program does. */
export function metadataBytes(
  address: string,
  { name, symbol }: Pick<Mint, 'name' | 'symbol'>,
): Buffer {
  const padded = (value: string, length: number) => {
    const bytes = Buffer.alloc(length)
    bytes.write(value)
    return Buffer.concat([u32(length), bytes])
  }
  const keys = [keyBytesOf(keyOf('update authority')), keyBytesOf(address)]
  const texts = [padded(name, 32), padded(symbol, 10), padded(`ipfs://${address}`, 200)]
  return Buffer.concat([hex('04'), ...keys, ...texts, u16(0), hex('000101')])
}
