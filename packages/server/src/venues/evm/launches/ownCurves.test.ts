// Trades on curves that are contracts of their own: the trader's amounts, and the price without
// fees.
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { venueAbi } from '../../../../../../test/support/venueAbi.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [factory, curve, token, creator, trader, recipient, zero] = [
  ...['a1', 'c1', 'b1', 'd1', 'e1', 'e2', '00'].map(address),
] as [string, string, string, string, string, string, string]
const tx = `0x${'01'.repeat(32)}`
const ref = { number: 7, hash: tx, parentNumber: 6, parentHash: tx, timeS: 1_700_000_000 }

function decode(abi: string, args: Record<string, unknown>, by: string) {
  const log = encodeLog(abi, args, { address: by, logIndex: 1, transactionHash: tx })
  return decodeLogs({ ref, logs: [log], senders: new Map([[tx, trader]]) })
}

test('default: a token of Pons is launched on its own curve, in the native coin', () => {
  const args = { token, curve, deployer: creator, pairToken: zero }
  const numbers = { launchConfigId: 0n, graduationThreshold: 1n }
  expect(decode(venueAbi.launchedPons, { ...args, ...numbers }, factory).events).toMatchObject([
    { type: 'launch', platform: factory, pool: curve, token0: token, token1: 'native', creator },
  ])
})

test('behavior: the second version of Bags launches in the native coin', () => {
  const texts = { name: 'Coin', symbol: 'C', metadataURI: '' }
  const ends = { feeShare: zero, partner: zero, poolId: `0x${'9a'.repeat(32)}` }
  const args = { token, curve, creator, ...ends, ...texts }
  expect(decode(venueAbi.createdBagsV2, args, factory).events).toMatchObject([
    { type: 'launch', platform: factory, pool: curve, token0: token, token1: 'native', creator },
  ])
})

test('behavior: fee and tax of Pons are part of a purchase and beside the proceeds of a sale', () => {
  const fees = { fee: 15n, tax: 5n, recipient }
  const bought = { buyer: trader, quoteIn: 1_020n, tokensOut: 4_000n, ...fees }
  expect(decode(venueAbi.buyPons, bought, curve).events).toMatchObject([
    {
      pool: curve,
      amount0: -4_000n,
      amount1: 1_020n,
      priceRaw: 0.25,
      sender: trader,
      to: recipient,
    },
  ])
  const sold = { seller: trader, tokensIn: 4_000n, quoteOut: 980n, ...fees }
  expect(decode(venueAbi.sellPons, sold, curve).events).toMatchObject([
    { pool: curve, amount0: 4_000n, amount1: -980n, priceRaw: 0.25 },
  ])
})

test('behavior: refunds of Bags are not paid amounts, and its virtual reserves give the price', () => {
  const shares = { vaultFeeQuote: 6n, creatorFeeQuote: 4n, price: 1n }
  const reserves = { virtualTokenReserves: 8_000n, virtualQuoteReserves: 2_000n }
  const bought = { buyer: trader, recipient, grossQuoteIn: 1_500n, netQuoteIn: 1_000n }
  const paid = { tokensOut: 3_900n, feeQuote: 10n, refundQuote: 490n }
  expect(
    decode(venueAbi.boughtBags, { ...bought, ...paid, ...shares, ...reserves }, curve).events,
  ).toMatchObject([{ pool: curve, amount0: -3_900n, amount1: 1_010n, priceRaw: 0.25 }])
  const sold = { seller: trader, recipient, tokensIn: 4_000n, grossQuoteOut: 990n }
  const got = { netQuoteToRecipient: 980n, feeQuote: 10n }
  expect(
    decode(venueAbi.soldBags, { ...sold, ...got, ...shares, ...reserves }, curve).events,
  ).toMatchObject([{ pool: curve, amount0: 4_000n, amount1: -980n, priceRaw: 0.25 }])
})

test('behavior: a curve of Bags ends in the named pool', () => {
  const poolId = `0x${'9a'.repeat(32)}`
  const args = { creator, platformAdmin: zero, token, lpQuote: 1n, lpTokens: 1n, poolId }
  expect(decode(venueAbi.migratedBags, { ...args, sqrtPriceX96: 1n }, curve).events).toMatchObject([
    { type: 'graduation', curve, pool: poolId },
    { type: 'sync', pool: curve, reserve0: 0n, reserve1: 0n },
  ])
})
