import { decodeBase58, encodeBase58 } from '../../../lib/bytes/base58.ts'
import { programAddressOf } from '../../../lib/programAddress.ts'
import { readOnly, type SellVenue, signer, writable } from './saleTransaction.ts'

const program = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
const swapV2 = 0x2b04ed0b1ac91e62n
const stateTag = 0x3f95d10ce1806309n
const stateBytes = 653
// Offsets in the pool's account, and the distance from the first token's values to the second's.
const [spacingAt, tickAt, mintAt, vaultAt, sideBytes] = [41, 81, 101, 133, 80]
const keyBytes = 32
const ticksPerArray = 88
const arraysPerSale = 3
const dataBytes = 43

const word = (text: string) => Buffer.from(text)

/** Orca's Whirlpools: a sale also names the next tick arrays in its direction. */
export const whirlpoolSale: SellVenue = {
  shared: [],
  routeOf({ pool, token, accounts: [account], quoteProgram }) {
    const data = account?.data
    if (account?.owner !== program || data === undefined || data.length < stateBytes) return null
    if (data.readBigUInt64BE(0) !== stateTag) return null
    const key = (at: number, side: number) => {
      const from = at + side * sideBytes
      return encodeBase58(data.subarray(from, from + keyBytes))
    }
    const side = key(mintAt, 0) === token.mint ? 0 : 1
    if (key(mintAt, side) !== token.mint) return null
    const isFirst = side === 0
    const inOrder = <item>(sold: item, bought: item) => (isFirst ? [sold, bought] : [bought, sold])
    const ticks = { current: data.readInt32LE(tickAt), spacing: data.readUInt16LE(spacingAt) }
    if (ticks.spacing === 0) return null
    const arrays = arrayStarts(ticks, isFirst).map((start) =>
      programAddressOf(program, [word('tick_array'), decodeBase58(pool)!, word(`${start}`)]),
    )
    const oracle = programAddressOf(program, [word('oracle'), decodeBase58(pool)!])
    return {
      quote: { mint: key(mintAt, 1 - side), tokenProgram: quoteProgram },
      sell({ seller, source, target, amount }) {
        const [ownA, ownB] = inOrder(source, target) as [string, string]
        return {
          program,
          accounts: [
            ...[...inOrder(token.tokenProgram, quoteProgram), memoProgram].map(readOnly),
            ...[signer(seller), writable(pool)],
            ...[key(mintAt, 0), key(mintAt, 1)].map(readOnly),
            ...[ownA, key(vaultAt, 0), ownB, key(vaultAt, 1)].map(writable),
            ...[...arrays, oracle].map(writable),
          ],
          data: saleData(amount, isFirst),
        }
      },
    }
  },
}

/**
 * First ticks of the arrays that a sale passes: downwards for the first token, upwards for the
 * second.
 */
function arrayStarts({ current, spacing }: { current: number; spacing: number }, isFirst: boolean) {
  const arrayTicks = ticksPerArray * spacing
  const first = Math.floor((isFirst ? current : current + spacing) / arrayTicks)
  const step = isFirst ? -1 : 1
  return Array.from({ length: arraysPerSale }, (_, at) => (first + at * step) * arrayTicks)
}

/** The amount, with any price accepted, in the given direction, without further accounts. */
function saleData(amount: bigint, isFirst: boolean): Buffer {
  const data = Buffer.alloc(dataBytes)
  data.writeBigUInt64BE(swapV2)
  data.writeBigUInt64LE(amount, 8)
  data[40] = 1
  data[41] = Number(isFirst)
  return data
}
