import { type Address, encodeFunctionData, type Hex } from 'viem'
import { lensAbi } from '../contracts/abi.ts'
import type { Deployment, ListedPool } from '../contracts/deployment.ts'
import type { Request } from '../node/provider.ts'
import type { CurveState, MarketState, PoolState } from './scene.ts'

// Bots ignore older launches; at one a minute this is the last half hour.
const curveCountMax = 24

const q96 = 2 ** 96

type MarketReader = {
  /** The market after a block. */
  readMarket(block: { hash: string; parentHash: string }): Promise<MarketState>
  readPool(pool: ListedPool, blockTag: string): Promise<PoolState>
}

/**
 * Reads pools and curves in one call. Pools that the last block did not touch keep their values;
 * after a restart or a reorg everything is read, with the same result.
 */
export function createMarketReader(deployment: Deployment, request: Request): MarketReader {
  const { pools, lens, launchPad } = deployment
  let last:
    | { hash: string; states: Map<Address, PoolState>; curves: readonly CurveState[] }
    | undefined

  async function read(asked: readonly ListedPool[], isCurves: boolean, blockTag: string) {
    const v2 = asked.filter(({ venue }) => venue === 'v2')
    const v3 = asked.filter(({ venue }) => venue === 'v3')
    const addresses = (list: readonly ListedPool[]) => list.map(({ address }) => address)
    const args = [
      addresses(v2),
      addresses(v3),
      launchPad,
      isCurves ? BigInt(curveCountMax) : 0n,
    ] as const
    const data = encodeFunctionData({ abi: lensAbi, functionName: 'market', args })
    return decodeMarket(v2, v3, await callWords(request, lens, data, blockTag))
  }

  async function readTouched(hash: string): Promise<Set<string>> {
    const logs = (await request('eth_getLogs', [{ blockHash: hash }])) as { address: string }[]
    return new Set(logs.map(({ address }) => address))
  }

  return {
    async readMarket({ hash, parentHash }) {
      if (last?.hash !== hash) {
        const kept = last?.hash === parentHash ? last : undefined
        const touched = kept && (await readTouched(hash))
        const isTouched = (address: string) => touched?.has(address) ?? true
        const asked = pools.filter(({ address }) => isTouched(address))
        const isCurves = isTouched(launchPad)
        const fresh = await read(asked, isCurves, 'latest')
        const states = kept?.states ?? new Map<Address, PoolState>()
        for (const state of fresh.pools) states.set(state.pool.address, state)
        last = { hash, states, curves: isCurves ? fresh.curves : (kept?.curves ?? []) }
      }
      const { states, curves } = last
      return { pools: pools.map(({ address }) => states.get(address)!), curves }
    },
    async readPool(pool, blockTag) {
      return (await read([pool], false, blockTag)).pools[0]!
    },
  }
}

function decodeMarket(
  v2: readonly ListedPool[],
  v3: readonly ListedPool[],
  words: readonly bigint[],
): { pools: PoolState[]; curves: CurveState[] } {
  let next = 0
  const read = () => words[next++]!
  const pools: PoolState[] = []
  const push = (pool: ListedPool, amount0: number, amount1: number) => {
    const isBaseFirst = pool.base < pool.quote
    const [base, quote] = isBaseFirst ? [amount0, amount1] : [amount1, amount0]
    pools.push({ pool, base, quote })
  }
  for (const pool of v2) push(pool, Number(read()), Number(read()))
  for (const pool of v3) {
    const sqrtPrice = Number(read()) / q96
    const liquidity = Number(read())
    push(pool, liquidity / sqrtPrice, liquidity * sqrtPrice)
  }
  const count = Number(read())
  const curves: CurveState[] = []
  for (let index = count - 1; next < words.length; index -= 1) {
    const token: Address = `0x${read().toString(16).padStart(40, '0')}`
    curves.push({ token, index, leftRaw: read(), raisedRaw: read() })
  }
  return { pools, curves }
}

/** Balance and allowance for each query, in one call. */
export async function readHoldings(
  request: Request,
  lens: Address,
  questions: readonly { token: Address; owner: Address; spender: Address | undefined }[],
): Promise<{ balance: bigint; allowance: bigint }[]> {
  if (questions.length === 0) return []
  const args = [
    questions.map(({ token }) => token),
    questions.map(({ owner }) => owner),
    questions.map(({ owner, spender }) => spender ?? owner),
  ] as const
  const data = encodeFunctionData({ abi: lensAbi, functionName: 'holdings', args })
  const words = await callWords(request, lens, data, 'latest')
  return questions.map((_, index) => ({
    balance: words[2 * index]!,
    allowance: words[2 * index + 1]!,
  }))
}

async function callWords(request: Request, to: Address, data: Hex, blockTag: string) {
  const answer = (await request('eth_call', [{ to, data }, blockTag])) as string
  const words: bigint[] = []
  // The first two words are the array's offset and length.
  for (let at = 2 + 128; at < answer.length; at += 64)
    words.push(BigInt(`0x${answer.slice(at, at + 64)}`))
  return words
}
