import type { MulticallCall, MulticallResult } from '../../chain/evm/multicall.ts'
import type { PoolStateAnswer } from '../chainReader.ts'
import { encodeCall, readAddressWord, readWord, selector } from './evmWords.ts'
import type { CallMany } from './poolIdentity.ts'

const questions = [selector.token0, selector.token1, selector.slot0]

// Exact in a double, so dividing by it loses nothing.
const q96 = 2 ** 96

type Check = { call: MulticallCall; read: (answer: MulticallResult | undefined) => void }

/** Price and real token balances of concentrated pools. In two rounds for all. */
export async function readPoolStates(
  pools: readonly string[],
  callMany: CallMany,
): Promise<PoolStateAnswer[]> {
  const answers = await callMany(pools.flatMap((to) => questions.map((data) => ({ to, data }))))
  const checks: Check[] = []
  const states = pools.map((pool, i) => {
    const [token0, token1, slot0] = answers.slice(3 * i, 3 * i + 3)
    const state: PoolStateAnswer = { reserve0: null, reserve1: null, priceRaw: priceOf(slot0) }
    const data = encodeCall(selector.balanceOf, pool)
    const [to0, to1] = [addressOf(token0), addressOf(token1)]
    if (to0)
      checks.push({ call: { to: to0, data }, read: (answer) => (state.reserve0 = uintOf(answer)) })
    if (to1)
      checks.push({ call: { to: to1, data }, read: (answer) => (state.reserve1 = uintOf(answer)) })
    // Algebra's name for the same; asked only where it is needed, for a call that fails costs another.
    if (to0 && !slot0?.ok)
      checks.push({
        call: { to: pool, data: selector.globalState },
        read: (answer) => (state.priceRaw = priceOf(answer)),
      })
    return state
  })
  if (checks.length === 0) return states
  const checked = await callMany(checks.map(({ call }) => call))
  for (const [i, { read }] of checks.entries()) read(checked[i])
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

function uintOf(answer: MulticallResult | undefined): bigint | null {
  return answer?.ok ? (readWord(answer.data, 0) ?? null) : null
}
