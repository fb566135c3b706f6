// Stores the missing part of the market. `stored.ts` starts this program and kills it repeatedly.
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import { encodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import { openStore } from '../../packages/server/src/store/openStore.ts'
import { silentLogger } from '../support/postgres.ts'
import { keepAllRetention } from '../support/program.ts'
import { marketProfile, marketSteps } from './market.ts'

const connection = JSON.parse(process.argv[2]!)
const store = await openStore({ connection, logger: silentLogger })
const { name: chain } = marketProfile
const chainId = await store.ensureChain(chain)
const writer = await store.openWriter({
  chainId,
  chain,
  retention: keepAllRetention,
  limits: { batchBlocksMax: 3 },
  onPersisted: ({ seq }) => void process.send?.(seq),
})
const { seq: storedSeq } = await store.loadCursor(chainId)
const engine = createEngine({ profile: marketProfile })
const blocks = new Map<string, BlockRef>()
for (const [at, { entry, balances }] of marketSteps().entries()) {
  if (entry.type === 'commit') blocks.set(entry.block.ref.hash, entry.block.ref)
  const events = engine.apply(entry)
  if (at < storedSeq) continue
  const head = engine.head()!
  const { hash } =
    entry.type === 'commit' ? entry.block.ref : entry.type === 'late' ? entry.facts.ref : entry.ref
  const ref = blocks.get(hash)!
  const undo = entry.type === 'commit' ? Buffer.from('undo') : null
  writer.append({
    chainId,
    expectedSeq: at,
    entries: [{ type: entry.type, ref, bytes: encodeEntry(entry), undo }],
    headAfter: { number: head.number, hash: head.hash },
    events,
    balances,
    reverted: entry.type === 'revert' ? ref : null,
    nowS: head.timeS,
  })
}
await writer.flush()
await store.close()
process.disconnect?.()
