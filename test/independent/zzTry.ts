import { createDevnet } from '../../packages/devnet/src/devnet.ts'
import { checkChainViews } from './checkChainViews.ts'
import { compareMarket } from './compare.ts'
import { indexInProcess } from './indexInProcess.ts'
import { readChain, readHeadNumber } from './readChain.ts'
import { recompute } from './recompute.ts'

const devnet = await createDevnet({ historyS: 0, seed: process.argv[3] ?? 'ind' })
const { rpcUrl, profile } = devnet
const { multicall3 } = profile
const out = (...a: unknown[]) => process.stdout.write(a.map(String).join(' ') + '\n')
for (let i = 0; i < Number(process.argv[2] ?? 200); i++) await devnet.mineMarket()
let t = Date.now()
const headNumber = await readHeadNumber(rpcUrl)
const chain = await readChain({ rpcUrl, headNumber, multicall3 })
const recomputed = recompute(chain, profile)
const v = await checkChainViews({ recomputed, rpcUrl, multicall3 })
out('views', v.viewCount, v.differences.length, Date.now() - t)
t = Date.now()
const index = indexInProcess({ rpcUrl, profile, multicall3 })
await index.reach(recomputed.head.hash)
out('indexed', Date.now() - t)
t = Date.now()
const { reads, klines, holders } = index
const s = recomputed.head.timeS
const differences = await compareMarket({
  recomputed,
  profile,
  reads,
  klines,
  holders,
  windowsAtS: [s, s + 7, s + 61, s + 86_000],
})
out('compared', Date.now() - t, 'differences', differences.length)
const kinds = new Map<string, number>()
for (const d of differences) {
  const k = d.replace(/0x[0-9a-f]+/g, 'X').replace(/\d+(\.\d+)?(e-?\d+)?/g, '#')
  kinds.set(k, (kinds.get(k) ?? 0) + 1)
}
for (const [k, n] of [...kinds].slice(0, 60)) out(n, k)
out(differences.slice(0, 40).join('\n'))
await index.stop()
await devnet.stop()
