// Blocks of a market with many known tokens and pairs of which few trade.
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { FinishedBlock, FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { TokenRecord, TokenSupply } from '../../packages/server/src/model/token.ts'
import { generatorProfile } from '../../test/support/blockGenerator.ts'
import { pairDefaults } from '../../test/support/pairDefaults.ts'

export type KnownSizes = {
  pairs: number
  tokens: number
  active: number
  /** Maximum bytes of rows and records in memory. */
  memory: number
}

/** Quote tokens: the wrapped native token and two dollars. */
const quoteTokens = [1, 2, 3].map((id) => `0x${id.toString(16).padStart(40, '0')}`)
const [wrappedToken, ...stables] = quoteTokens as [string, string, string]

/** The market has no reverts. */
export const knownProfile: ChainProfile = {
  ...generatorProfile,
  name: 'known',
  native: { ...generatorProfile.native, wrappedToken },
  stables,
  quotes: [...stables, wrappedToken],
  reorgDepthMax: 0,
}

const perBlock = 1_000
const swapsPerBlock = 250
const daySeconds = 86_400
const startS = 1_700_000_000
// Every market has hundreds of tokens with these words: the longest lists of the search index.
const commonWords = ['pepe', 'doge', 'inu', 'elon', 'moon', 'cat', 'ai', 'trump', 'baby', 'meme']

/** Numbers derived from an id and a lane, so that generated data need not be kept. */
function mixed(id: number, lane: number): number {
  let value = Math.imul(id + 1, 0x9e3779b1) ^ Math.imul(lane + 1, 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}

function addressOf(id: number, lane: number): string {
  let text = '0x'
  for (let word = 0; word < 5; word += 1)
    text += mixed(id, lane + word)
      .toString(16)
      .padStart(8, '0')
  return flat(text)
}

/** Flat strings, as decoded from the log, instead of ropes of concatenated pieces. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

function letters(id: number, lane: number, length: number): string {
  let text = ''
  for (let at = 0; at < length; at += 1)
    text += String.fromCharCode(97 + (mixed(id, lane + at) % 26))
  return text
}

function common(id: number, lane: number): string {
  return commonWords[mixed(id, lane) % commonWords.length]!
}

/** The first three tokens are the quote tokens. */
export function tokenOf(id: number): TokenRecord {
  const facts = { isUnreadable: false, seenAtS: startS }
  if (id < 3) {
    const symbol = ['WETH', 'USDC', 'USDT'][id]!
    return {
      id,
      address: quoteTokens[id]!,
      symbol,
      name: symbol,
      decimals: id === 0 ? 18 : 6,
      ...facts,
    }
  }
  const symbol =
    mixed(id, 10) % 10 < 3
      ? common(id, 11) + letters(id, 12, (mixed(id, 14) % 2) * 2)
      : letters(id, 20, 3 + (mixed(id, 15) % 4))
  const name = `${symbol} ${mixed(id, 16) % 2 === 0 ? common(id, 17) : letters(id, 30, 6)}`
  const words = { symbol: flat(symbol.toUpperCase()), name: flat(name) }
  return { id, address: addressOf(id, 40), ...words, decimals: 18, ...facts }
}

export function supplyOf(tokenId: number): TokenSupply {
  return {
    tokenId,
    total: 10n ** BigInt(24 + (tokenId % 6)),
    burnt: BigInt(mixed(tokenId, 50)) * 10n ** 12n,
    locked: 0n,
    other: 0n,
    holders: mixed(tokenId, 51) % 1_000,
    isComplete: true,
  }
}

/** Pair n trades token n + 3 for the native token; pair 0 trades the native token for dollars. */
export function pairOf(id: number, tokens: number): PairRecord {
  return {
    id,
    address: addressOf(id, 60),
    kind: 'constantProduct',
    token0Id: id === 0 ? 0 : 3 + ((id - 1) % (tokens - 3)),
    token1Id: id === 0 ? 1 : 0,
    factory: 'factory',
    amm: 'uniswapv2',
    isTrusted: true,
    feePpm: 3_000,
    createdAtS: startS,
    platform: null,
    ...pairDefaults,
  }
}

function reservesOf(id: number): { reserve0: bigint; reserve1: bigint; priceRaw: number } {
  const reserve0 = id === 0 ? 10n ** 23n : 10n ** 27n + BigInt(id)
  const reserve1 = id === 0 ? 3n * 10n ** 14n : 10n ** 20n
  return { reserve0, reserve1, priceRaw: Number(reserve1) / Number(reserve0) }
}

function swapOf(index: number, pairId: number): FinishedEvent {
  const wallet = addressOf(mixed(pairId, 70) % 200_000, 80)
  return {
    type: 'swap',
    index,
    txHash: '0xabc',
    wallet,
    pairId,
    sender: wallet,
    to: wallet,
    amount0: 10n ** 22n,
    amount1: -(10n ** 15n),
    ...reservesOf(pairId),
    holding0: null,
    holding1: null,
    native: null,
    accountFlags: 0,
  }
}

function range(from: number, end: number): number[] {
  return Array.from({ length: end - from }, (_, index) => from + index)
}

/** One swap each of some of the trading pairs. */
function swapsOf(from: number, end: number): FinishedEvent[] {
  return range(from, end).map((id, index) => swapOf(index, id))
}

export function hashOf(number: number): string {
  return `0x${(number + 1).toString(16).padStart(64, '0')}`
}

function blockOf(number: number, timeS: number, parts: Partial<FinishedBlock>): FinishedBlock {
  const parent = { parentNumber: number - 1, parentHash: hashOf(number - 1) }
  const ref = { number, hash: hashOf(number), ...parent, timeS }
  const none = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null, receivedMs: 0 }
  return { ref, ...none, ...parts }
}

/** A block without events. */
export function quietBlock(number: number, timeS: number): FinishedBlock {
  return blockOf(number, timeS, {})
}

/**
 * Adds old tokens and pairs, then plays one day until `endS` in which some of them trade. Returns
 * the next block number.
 */
export function playMarket(
  commit: (block: FinishedBlock) => void,
  { pairs, tokens, active }: KnownSizes,
  endS = startS + 3 * daySeconds,
): number {
  let number = 0
  const add = (timeS: number, parts: Partial<FinishedBlock>) => {
    commit(blockOf(number, timeS, parts))
    number += 1
  }
  for (let from = 0; from < tokens; from += perBlock) {
    const ids = range(from, Math.min(from + perBlock, tokens))
    add(startS, { tokens: ids.map(tokenOf), supplies: ids.map(supplyOf) })
  }
  for (let from = 0; from < pairs; from += perBlock) {
    const ids = range(from, Math.min(from + perBlock, pairs))
    add(startS, {
      pairs: ids.map((id) => pairOf(id, tokens)),
      events: ids.map((pairId, index) => ({ type: 'sync', index, pairId, ...reservesOf(pairId) })),
    })
  }
  const traded = Math.min(active, pairs)
  for (let from = 0; from < traded; from += swapsPerBlock) {
    const timeS = endS - daySeconds + Math.floor((from / traded) * (daySeconds - 60))
    add(timeS, { events: swapsOf(from, Math.min(from + swapsPerBlock, traded)) })
  }
  return number
}

/** Later blocks, one a second, with trades of pairs that traded before. */
export function* blocksAfter(
  number: number,
  count: number,
  { pairs, active }: KnownSizes,
): Generator<FinishedBlock> {
  const traded = Math.min(active, pairs)
  for (let block = 0; block < count; block += 1) {
    const from = (block * swapsPerBlock) % Math.max(traded - swapsPerBlock, 1)
    const timeS = startS + 3 * daySeconds + block
    yield blockOf(number + block, timeS, {
      events: swapsOf(from, Math.min(from + swapsPerBlock, traded)),
    })
  }
}
