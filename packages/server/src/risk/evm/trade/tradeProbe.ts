import {
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  stringToHex,
  toHex,
} from 'viem'
import type { CallAnswer, PinnedCall, StateOverrides } from './pinnedState.ts'
import { tradeProbeCode } from './tradeProbeCode.ts'

const probeAbi = parseAbi([
  'struct Trade { uint8 venue; address pool; address token; address quote; bool isNative; uint256 feePpm; address spender; address friend; uint24 keyFee; int24 tickSpacing; address hooks; }',
  'struct Step { bool ok; uint256 sent; uint256 arrived; uint256 gasUsed; bytes reason; }',
  'struct Report { Step buy; Step move; Step approve; Step sell; bool soldAll; uint256 quoteOut; }',
  'function run(Trade trade, uint256 amountIn) returns (Report report)',
  'function runSell(Trade trade) returns (Report report)',
])

/** Numbers as in TradeProbe.sol. Venues with the same number are traded the same way. */
export const probeVenue = {
  uniswapV2: 0,
  uniswapV3: 1,
  pancakeV3: 1,
  slipstream: 1,
  algebra: 1,
  launchPad: 2,
  solidly: 3,
  uniswapV4: 4,
} as const

/** Pools of other venues need other calls: a trade there would fail for any token. */
export function isProbed(venue: string): venue is keyof typeof probeVenue {
  return Object.hasOwn(probeVenue, venue)
}

export type ProbeTrade = {
  venue: number
  /** The pool, the contract of the curve, or the manager that keeps the pool. */
  pool: string
  token: string
  quote: string
  isNative: boolean
  feePpm: number
  /** For a pool in a manager: fee, tick spacing and hooks of its key. */
  key: readonly bigint[]
}

/** Fresh accounts that no contract could have listed before. */
export type ProbeAccounts = { buyer: string; spender: string; friend: string }

export type ProbeStep = {
  ok: boolean
  sent: bigint
  arrived: bigint
  gasUsed: bigint
  reason: Hex
}

export type ProbeReport = {
  buy: ProbeStep
  move: ProbeStep
  approve: ProbeStep
  sell: ProbeStep
  soldAll: boolean
  quoteOut: bigint
}

export function probeAccounts(token: string, blockHash: string): ProbeAccounts {
  const account = (role: string) =>
    `0x${keccak256(stringToHex(`${role} ${token} ${blockHash}`)).slice(26)}`
  return { buyer: account('buyer'), spender: account('spender'), friend: account('friend') }
}

type ProbeCallOptions = {
  trade: ProbeTrade
  accounts: ProbeAccounts
  gas: number
}

/**
 * Buys for `amountIn` and sells again. `funding` gives the buyer a quote token other than the
 * native coin.
 */
export function buyAndSellCall(
  { trade, accounts, gas }: ProbeCallOptions,
  amountIn: bigint,
  funding: StateOverrides,
): PinnedCall {
  const args = [encodeTrade(trade, accounts), amountIn] as const
  const data = encodeFunctionData({ abi: probeAbi, functionName: 'run', args })
  const overrides = {
    ...funding,
    [accounts.buyer]: { code: tradeProbeCode, balance: `0x${(amountIn * 2n).toString(16)}` },
    [accounts.spender]: { code: tradeProbeCode },
  }
  return { from: accounts.buyer, to: accounts.buyer, data, gas, overrides }
}

/** Sells all that a holder has. */
export function holderSellCall(
  { trade, accounts, gas }: ProbeCallOptions,
  holder: string,
): PinnedCall {
  const args = [encodeTrade(trade, accounts)] as const
  const data = encodeFunctionData({ abi: probeAbi, functionName: 'runSell', args })
  const overrides = {
    [holder]: { code: tradeProbeCode },
    [accounts.spender]: { code: tradeProbeCode },
  }
  return { from: holder, to: holder, data, gas, overrides }
}

/** Null if the node ignored the probe's code override, or the token used all the gas. */
export function readProbe(
  answer: CallAnswer | undefined,
  functionName: 'run' | 'runSell',
): ProbeReport | null {
  if (answer?.type !== 'answered') return null
  try {
    return decodeFunctionResult({ abi: probeAbi, functionName, data: answer.data as Hex })
  } catch {
    return null
  }
}

const reasonCharsMax = 100

/** Decodes a contract's revert reason. */
export function reasonText(reason: Hex): string {
  if (reason === '0x') return ''
  try {
    const abi = parseAbi(['error Error(string reason)'])
    const [text] = decodeErrorResult({ abi, data: reason }).args
    return text.replace(/[^\x20-\x7e]/g, '').slice(0, reasonCharsMax)
  } catch {
    return reason.slice(0, 10)
  }
}

function encodeTrade(trade: ProbeTrade, { spender, friend }: ProbeAccounts) {
  const [keyFee = 0n, tickSpacing = 0n, hooks = 0n] = trade.key
  return {
    keyFee: Number(keyFee),
    tickSpacing: Number(tickSpacing),
    hooks: toHex(hooks, { size: 20 }),
    venue: trade.venue,
    pool: trade.pool as Address,
    token: trade.token as Address,
    quote: trade.quote as Address,
    isNative: trade.isNative,
    feePpm: BigInt(trade.feePpm),
    spender: spender as Address,
    friend: friend as Address,
  }
}
