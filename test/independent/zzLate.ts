import { startDevNode } from '../support/devNode.ts'
import { comparePair } from './comparePair.ts'
import { compareToken } from './compareToken.ts'
import { indexInProcess } from './indexInProcess.ts'
import { readChain, readHeadNumber } from './readChain.ts'
import { recompute } from './recompute.ts'

const out = (...a: unknown[]) => process.stdout.write(a.map(String).join(' ') + '\n')
const node = await startDevNode({ market: true, seed: 'late' })
const { rpcUrl, profile } = node
const { multicall3 } = profile
for (let i = 0; i < 150; i++) await node.mineMarket()
const startBlock = await readHeadNumber(rpcUrl)
for (let i = 0; i < 150; i++) await node.mineMarket()
await node.mine()
await node.mine()
const headNumber = await readHeadNumber(rpcUrl)
const recomputed = recompute(await readChain({ rpcUrl, headNumber, multicall3 }), profile)
const index = indexInProcess({ rpcUrl, profile, multicall3, startBlock })
await index.reach(recomputed.head.hash)
const { reads } = index
let n = 0,
  m = 0
for (const pair of recomputed.pairs.values()) {
  const id = reads.findPair(pair.address)
  const trades = pair.trades.filter((t) => t.blockNumber >= startBlock)
  if (id === undefined) {
    out('unknown', pair.kind, pair.address, 'trades since', trades.length)
    continue
  }
  n++
  const d = comparePair(recomputed, { ...pair, trades }, profile, reads, id)
  if (d.length) out(d.join('\n'))
}
for (const token of recomputed.tokens.values()) {
  if (reads.findToken(token.address) === undefined) continue
  m++
  const d = await compareToken(token, reads, index.holders)
  if (d.length) out(d.slice(0, 6).join('\n'))
}
out('pairs', n, 'tokens', m)
await index.stop()
await node.stop()
