import type { MulticallCall, MulticallResult } from '../../chain/evm/multicall.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { PoolAnswer } from '../chainReader.ts'
import { encodeCall, readAddressWord, readWord, selector, wordCount } from './evmWords.ts'

export type CallMany = (calls: readonly MulticallCall[]) => Promise<MulticallResult[]>

const questions = [
  selector.token0,
  selector.token1,
  selector.factory,
  selector.fee,
  selector.slot0,
  selector.globalState,
  selector.getReserves,
]

const uint24Max = 0xff_ffffn
const addressLength = 42

/** Asks contracts whether they are pools, and the venues they name whether that is so. In two rounds for all. */
export async function readPoolIdentities(
  ids: readonly string[],
  venues: ChainProfile['venues'],
  callMany: CallMany,
): Promise<(PoolAnswer | null)[]> {
  // Ids of 32 bytes are no contracts: nobody is there to ask.
  const addresses = ids.filter((id) => id.length === addressLength)
  const pools = await askPools(addresses, callMany)
  await confirmPools(pools, venues, callMany)
  return ids.map((id) => pools.get(id) ?? null)
}

async function askPools(
  addresses: readonly string[],
  callMany: CallMany,
): Promise<Map<string, PoolAnswer>> {
  const pools = new Map<string, PoolAnswer>()
  if (addresses.length === 0) return pools
  const calls = addresses.flatMap((to) => questions.map((data) => ({ to, data })))
  const answers = await callMany(calls)
  for (const [i, address] of addresses.entries()) {
    const start = i * questions.length
    const pool = readIdentity(answers.slice(start, start + questions.length))
    if (pool) pools.set(address, pool)
  }
  return pools
}

async function confirmPools(
  pools: ReadonlyMap<string, PoolAnswer>,
  venues: ChainProfile['venues'],
  callMany: CallMany,
): Promise<void> {
  const checks: { pool: PoolAnswer; address: string; call: MulticallCall }[] = []
  for (const [address, pool] of pools) {
    const call = confirmationOf(pool, venues)
    if (call) checks.push({ pool, address, call })
  }
  if (checks.length === 0) return
  const confirmations = await callMany(checks.map(({ call }) => call))
  for (const [i, { pool, address }] of checks.entries()) {
    const confirmation = confirmations[i]
    pool.isConfirmed =
      confirmation?.ok === true && readAddressWord(confirmation.data, 0) === address
  }
}

function readIdentity(answers: readonly MulticallResult[]): PoolAnswer | null {
  const [answer0, answer1, answerFactory, answerFee, slot0, globalState, reserves] = answers
  const token0 = addressOf(answer0)
  const token1 = addressOf(answer1)
  const factory = addressOf(answerFactory)
  if (!token0 || !token1 || !factory || token0 === token1) return null
  const kind = kindOf(slot0, globalState, reserves)
  if (!kind) return null
  const fee = answerFee?.ok ? readWord(answerFee.data, 0) : undefined
  const feePpm = fee !== undefined && fee <= uint24Max ? Number(fee) : null
  return { kind, token0, token1, factory, feePpm, isConfirmed: false }
}

function kindOf(
  slot0: MulticallResult | undefined,
  globalState: MulticallResult | undefined,
  reserves: MulticallResult | undefined,
): PoolKind | null {
  // Uniswap V3 and its forks, then Algebra, which names the same thing differently.
  if (hasWords(slot0, 2) || hasWords(globalState, 2)) return 'concentrated'
  return hasWords(reserves, 2) ? 'constantProduct' : null
}

function confirmationOf(pool: PoolAnswer, venues: ChainProfile['venues']): MulticallCall | null {
  const { token0, token1, factory: to, feePpm } = pool
  const venue = venues.find(({ address }) => address === to)?.venue
  if (venue === 'uniswapV2' && pool.kind === 'constantProduct')
    return { to, data: encodeCall(selector.getPair, token0, token1) }
  if (venue === 'uniswapV3' && pool.kind === 'concentrated' && feePpm !== null)
    return { to, data: encodeCall(selector.getPool, token0, token1, feePpm) }
  return null
}

function addressOf(answer: MulticallResult | undefined): string | undefined {
  return answer?.ok ? readAddressWord(answer.data, 0) : undefined
}

function hasWords(answer: MulticallResult | undefined, count: number): boolean {
  return answer?.ok === true && wordCount(answer.data) >= count
}
