import type { MulticallResult } from '../chain/evm/multicall.ts'
import type { PoolStateAnswer } from './chainReader.ts'
import { encodeCall, readAddressWord, readWord, selector } from './evmWords.ts'
import type { CallMany } from './poolIdentity.ts'

const questions = [selector.token0, selector.token1, selector.slot0, selector.globalState]

// Exact in a double, so dividing by it loses nothing.
const q96 = 2 ** 96

/** Price and real token balances of concentrated pools. In two rounds for all. */
export async function readPoolStates(
  pools: readonly string[],
  callMany: CallMany,
): Promise<PoolStateAnswer[]> {
  const answers = await callMany(pools.flatMap((to) => questions.map((data) => ({ to, data }))))
  const states: PoolStateAnswer[] = []
  const checks: {
    side: 'reserve0' | 'reserve1'
    state: PoolStateAnswer
    to: string
    pool: string
  }[] = []
  for (const [i, pool] of pools.entries()) {
    const [token0, token1, slot0, globalState] = answers.slice(4 * i, 4 * i + 4)
    const state = {
      reserve0: null,
      reserve1: null,
      priceRaw: priceOf(slot0) ?? priceOf(globalState),
    }
    states.push(state)
    const [to0, to1] = [addressOf(token0), addressOf(token1)]
    if (to0) checks.push({ side: 'reserve0', state, to: to0, pool })
    if (to1) checks.push({ side: 'reserve1', state, to: to1, pool })
  }
  if (checks.length === 0) return states
  const balances = await callMany(
    checks.map(({ to, pool }) => ({ to, data: encodeCall(selector.balanceOf, pool) })),
  )
  for (const [i, { side, state }] of checks.entries()) {
    const balance = balances[i]
    if (balance?.ok) state[side] = readWord(balance.data, 0) ?? null
  }
  return states
}

/** The first word is the square root of the price, in 96-bit fixed point. */
function priceOf(answer: MulticallResult | undefined): number | null {
  const root = answer?.ok ? readWord(answer.data, 0) : undefined
  return root === undefined || root === 0n ? null : (Number(root) / q96) ** 2
}

function addressOf(answer: MulticallResult | undefined): string | undefined {
  return answer?.ok ? readAddressWord(answer.data, 0) : undefined
}
