import { ChainInconsistentError } from '../errors.ts'
import type { MarketProfile } from '../marketProfile.ts'
import { nativeUsdOf } from '../nativeUsd.ts'
import type { Swap } from '../pools.ts'
import type { Rational } from '../rational.ts'
import {
  keepPoint,
  pairOf,
  partsOf,
  type Recomputed,
  type RecomputedPair,
  type RecomputedToken,
} from '../recompute.ts'
import { valueTrade } from '../valueTrade.ts'
import type { RawBlock, RawTransaction, SolanaChain } from './readSolanaChain.ts'
import { SolanaBalances } from './solanaBalances.ts'
import { SolanaPools } from './solanaPools.ts'
import { finishedSteps, mintedBy, stepsOf, transferOf } from './transactionSteps.ts'

export type RecomputeSolanaOptions = {
  profile: MarketProfile
  sharedOwners: readonly string[]
  /** The chain's first block is its very first, or the first that is stored. */
  isWhole: boolean
}

export type RecomputedSolana = {
  recomputed: Recomputed
  /** Swaps that the programs could not have made so. */
  differences: readonly string[]
  /** How many were held to the programs' maths. */
  checked: number
}

/** The market of a chain from its raw blocks alone. */
export function recomputeSolana(
  chain: SolanaChain,
  { profile, sharedOwners, isWhole }: RecomputeSolanaOptions,
): RecomputedSolana {
  const decimalsOf = (mint: string) => chain.decimals.get(mint) ?? 0
  const balances = new SolanaBalances(sharedOwners)
  const pools = new SolanaPools(balances, profile.native.wrappedToken)
  const pairs = new Map<string, RecomputedPair>()
  const nativeUsd: (Rational | null)[] = []
  for (const { slot: blockNumber, blockTime: timeS, transactions } of chain.blocks) {
    for (const raw of transactions) {
      if (raw.meta.err !== null) continue
      const swaps = swapsOf(raw, blockNumber, { balances, pools })
      const [txHash, wallet] = [
        raw.transaction.signatures[0]!,
        raw.transaction.message.accountKeys[0]!,
      ]
      const { wrappedToken } = profile.native
      const traders = {
        balanceOf: (mint: string, holder: string) =>
          (mint === wrappedToken ? unwrappedBy(raw, mint, holder) : null) ??
          balances.balanceOf(mint, holder),
      }
      for (const swap of swaps) {
        const pair = pairOf(pairs, swap.pool, profile, decimalsOf)
        const ofBlock = pair.trades.filter((trade) => trade.blockNumber === blockNumber)
        const origin = { blockNumber, timeS, logIndex: ofBlock.length, txHash, wallet }
        const rate = nativeUsd.at(-1) ?? null
        pair.trades.push(
          valueTrade({ swap, origin, balances: traders, profile, nativeUsd: rate, decimalsOf }),
        )
      }
    }
    pools.settle()
    for (const pool of pools.all())
      keepPoint(pairOf(pairs, pool, profile, decimalsOf), pool, blockNumber)
    nativeUsd.push(nativeUsdOf(pools.all(), profile, decimalsOf))
  }
  const tokens = tokensOf(pairs, { balances, pools, profile, decimalsOf })
  const { slot: number, blockhash: hash, blockTime: timeS } = chain.blocks.at(-1)!
  const since = isWhole ? null : sinceOf(chain.blocks, nativeUsd)
  const timesS = chain.blocks.map(({ blockTime }) => blockTime)
  const market = { head: { number, hash, timeS }, pairs, tokens, nativeUsd, timesS, since }
  return {
    recomputed: { ...market, quotes: profile.quotes },
    differences: [...balances.differences, ...pools.differences],
    checked: [...pairs.values()].reduce((sum, { trades }) => sum + trades.length, 0),
  }
}

/** The SOL of a holder to whom the transaction leaves no account of wrapped SOL. Null: it has one. */
function unwrappedBy({ transaction, meta }: RawTransaction, mint: string, holder: string) {
  const { accountKeys } = transaction.message
  const accounts = meta.postTokenBalances ?? []
  if (accounts.some((account) => account.mint === mint && account.owner === holder)) return null
  return BigInt(meta.postBalances?.[accountKeys.indexOf(holder)] ?? 0)
}

type Books = { balances: SolanaBalances; pools: SolanaPools }

function swapsOf(raw: RawTransaction, blockNumber: number, { balances, pools }: Books): Swap[] {
  const swaps: Swap[] = []
  balances.begin(raw)
  pools.begin(raw, blockNumber)
  for (const step of finishedSteps(stepsOf(raw))) {
    const moved = transferOf(step)
    if (moved !== null) balances.move(moved)
    const minted = mintedBy(step)
    if (minted !== null) pools.minted.set(minted.mint, madeOf(pools, minted.mint) + minted.amount)
    swaps.push(...pools.take(step))
  }
  balances.end(raw)
  return swaps
}

function madeOf(pools: SolanaPools, mint: string): bigint {
  return pools.minted.get(mint) ?? 0n
}

/** Where prices of the native coin are known from: trades before that cannot be valued. */
function sinceOf(blocks: readonly RawBlock[], nativeUsd: readonly (Rational | null)[]) {
  const first = blocks[nativeUsd.findIndex((rate) => rate !== null) + 1]
  if (first === undefined || nativeUsd.at(-1) === null)
    throw new ChainInconsistentError('No pool prices the native coin in the blocks that there are.')
  return { number: first.slot }
}

function tokensOf(
  pairs: ReadonlyMap<string, RecomputedPair>,
  {
    balances,
    pools,
    profile,
    decimalsOf,
  }: Books & { profile: MarketProfile; decimalsOf(mint: string): number },
): Map<string, RecomputedToken> {
  const tokens = new Map<string, RecomputedToken>()
  for (const { token0, token1 } of pairs.values())
    for (const address of [token0, token1]) {
      const wallets = balances.walletsOf(address)
      tokens.set(address, {
        address,
        wallets,
        decimals: decimalsOf(address),
        parts: partsOf(wallets, profile),
        supply: madeOf(pools, address),
        holders: new Map([...wallets].filter(([, amount]) => amount > 0n)),
        isWhole: pools.launched.has(address),
      })
    }
  return tokens
}
