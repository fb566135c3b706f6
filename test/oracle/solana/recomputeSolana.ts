import type { MarketProfile, Recomputed, Swap } from '../market.ts'
import { MarketBuilder } from '../marketBuilder.ts'
import type { RawBlock, RawTransaction } from './rawBlock.ts'
import { SolanaBalances } from './solanaBalances.ts'
import { SolanaPools } from './solanaPools.ts'
import { finishedSteps, mintedBy, stepsOf, transferOf } from './transactionSteps.ts'

/** Blocks of a chain from its first block on, and the decimals of their mints. */
export type SolanaChain = {
  blocks: readonly RawBlock[]
  decimals: ReadonlyMap<string, number>
}

export type SolanaMarketProfile = MarketProfile & {
  /** Addresses of programs that own the vaults of many pools. */
  sharedOwners: readonly string[]
}

export type RecomputedSolana = {
  recomputed: Recomputed
  /** Swaps that violate their program's formula, as sentences. */
  differences: readonly string[]
  /** Number of swaps that were checked against their program's formula. */
  checked: number
}

/** Recomputes the market of a chain from its raw blocks only. */
export function recomputeSolana(
  { blocks, decimals }: SolanaChain,
  profile: SolanaMarketProfile,
): RecomputedSolana {
  const balances = new SolanaBalances(profile.sharedOwners)
  const pools = new SolanaPools(balances, profile.native.wrappedToken)
  const builder = new MarketBuilder(profile, decimals)
  let checked = 0
  for (const { slot: blockNumber, blockTime: timeS, transactions } of blocks) {
    for (const raw of transactions) {
      if (raw.meta.err !== null) continue
      const swaps = swapsOf(raw, blockNumber, { balances, pools })
      checked += swaps.length
      const { signatures, message } = raw.transaction
      const [txHash, wallet] = [signatures[0]!, message.accountKeys[0]!]
      const traders = {
        balanceOf: (mint: string, holder: string) =>
          (mint === profile.native.wrappedToken ? unwrappedBy(raw, mint, holder) : null) ??
          balances.balanceOf(mint, holder),
      }
      for (const swap of swaps) {
        // Trades are numbered within block and pair: the service's own indexes also count other
        // instructions.
        const { trades } = builder.pairOf(swap.pool)
        const logIndex = trades.filter((trade) => trade.blockNumber === blockNumber).length
        builder.addTrade(swap, { blockNumber, timeS, logIndex, txHash, wallet }, traders)
      }
    }
    pools.updateReserves()
    builder.endBlock(pools.all(), { number: blockNumber, timeS })
  }
  const { slot: number, blockhash: hash, blockTime: timeS } = blocks.at(-1)!
  const holdings = {
    balanceOf: (mint: string, holder: string) => balances.balanceOf(mint, holder),
    walletsOf: (mint: string) => balances.walletsOf(mint),
    supplyOf: (mint: string) => pools.minted.get(mint) ?? 0n,
    isWhole: (mint: string) => pools.launched.has(mint),
  }
  return {
    recomputed: builder.finish({ number, hash, timeS }, holdings),
    differences: [...balances.differences, ...pools.differences],
    checked,
  }
}

/**
 * SOL balance of a holder without an account of wrapped SOL after the transaction; null if the
 * holder has such an account.
 */
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
    if (minted !== null)
      pools.minted.set(minted.mint, (pools.minted.get(minted.mint) ?? 0n) + minted.amount)
    swaps.push(...pools.take(step))
  }
  balances.end(raw)
  return swaps
}
