// The store of the upgrade fixtures: the market of `upgradeMarket.ts` as the program stores it, and
// the rows read back.
import { loadEngine } from '../../packages/server/src/app/snapshots/loadEngine.ts'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import { snapshotFormat } from '../../packages/server/src/engine/snapshot/snapshotChanges.ts'
import { encodeUndo } from '../../packages/server/src/ledger/undo.ts'
import { encodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { BalanceChange, FinishedBlock } from '../../packages/server/src/model/finishedBlock.ts'
import type { Store } from '../../packages/server/src/store/openStore.ts'
import { silentLogger } from './postgres.ts'
import {
  playUpgradeMarket,
  upgradeProfile as profile,
  readMarket,
  upgradeLimits,
} from './upgradeMarket.ts'

const chain = profile.name

export async function writeUpgradeStore(store: Store, seed: number): Promise<void> {
  const { entries, snapshotSeq } = playUpgradeMarket(seed)
  const chainId = await store.ensureChain(chain)
  const writer = await store.openWriter({ chainId, chain })
  const engine = createEngine({ profile, ...upgradeLimits })
  const blocks = new Map<string, { ref: BlockRef; balances: readonly BalanceChange[] }>()
  for (const [at, entry] of entries.entries()) {
    const events = engine.apply(entry)
    if (entry.type === 'commit')
      blocks.set(entry.block.ref.hash, { ref: entry.block.ref, balances: balancesOf(entry.block) })
    const { hash } =
      entry.type === 'commit'
        ? entry.block.ref
        : entry.type === 'late'
          ? entry.facts.ref
          : entry.ref
    const { ref, balances } = blocks.get(hash)!
    const isMoving = entry.type === 'commit' || entry.type === 'revert'
    const undo = { changes: balances, supplies: [], pools: [], unreportedAfter: null }
    const { number, hash: headHash, timeS } = engine.head()!
    writer.append({
      chainId,
      expectedSeq: at,
      entries: [
        {
          type: entry.type,
          ref,
          bytes: encodeEntry(entry),
          undo: entry.type === 'commit' ? encodeUndo(undo) : null,
        },
      ],
      headAfter: { number, hash: headHash },
      events,
      balances: isMoving ? balances : [],
      reverted: entry.type === 'revert' ? ref : null,
      nowS: timeS,
    })
    if (at + 1 !== snapshotSeq) continue
    await writer.flush()
    const place = { chainId, seq: snapshotSeq, number, hash: headHash, format: snapshotFormat }
    await store.saveSnapshot(place, [...engine.snapshot()])
  }
  await writer.flush()
  await writer.close()
}

/** Each trader's balance is what its last swap of the block left in the pool. */
function balancesOf({ ref, events }: FinishedBlock): BalanceChange[] {
  const changes = new Map<string, BalanceChange>()
  for (const event of events) {
    if (event.type !== 'swap') continue
    const { wallet, reserve0 } = event
    // A wallet unique to this block, so its balance before is 0.
    const holder = `${wallet}-${ref.number}`
    changes.set(holder, { tokenId: 0, wallet: holder, before: 0n, after: reserve0 })
  }
  return [...changes.values()]
}

/** The store as this version reads it. */
export async function readUpgradeStore(store: Store): Promise<Record<string, unknown>> {
  const chainId = (await store.findChain(chain))!
  const { engine, seq } = await loadEngine(store, chainId, profile, silentLogger)
  const range = { chainId, fromS: 0, toS: 2 ** 40, limit: 1_000, order: 'asc' } as const
  const pairIds = Array.from({ length: engine.pairCount() }, (_, id) => id)
  const tokenIds = Array.from({ length: engine.tokenCount() }, (_, id) => id)
  const ofPairs = <row>(load: (pairId: number) => Promise<row>) => Promise.all(pairIds.map(load))
  const from = { number: 0, timeS: 0 }
  const news = { chainId, from, isExclusive: false, toNumber: 2 ** 40, limit: 1_000 }
  return {
    seq,
    market: readMarket(engine),
    cursor: await store.loadCursor(chainId),
    chains: await store.listChains(),
    tail: (await store.readLogTail(chainId, 20)).map(({ ref, undo }) => ({
      ref,
      undo: undo && Buffer.from(undo).toString(),
    })),
    tokens: await store.loadTokens(chainId, tokenIds),
    supplies: await store.loadSupplies(chainId, tokenIds),
    pairs: (
      await store.findPairs(
        chainId,
        pairIds.map((id) => engine.pairState(id).record.address),
      )
    ).toSorted((a, b) => a.id - b.id),
    holders: await store.topHolders(chainId, 0, 20),
    swaps: await ofPairs((pairId) => store.loadSwaps({ ...range, pairId })),
    liquidity: await ofPairs((pairId) => store.loadLiquidity({ ...range, pairId })),
    klines: await ofPairs((pairId) => store.loadKlines({ ...range, pairId, interval: 1 })),
    news: await store.loadNews({ ...news, order: 'asc' }),
  }
}
