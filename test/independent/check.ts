// Recomputes the market of a chain from eth_getLogs and eth_call alone and compares it with the contracts' own view
// functions, with what the service's stages make of the same blocks and, on request, with what a service has stored:
//   npx tsx test/independent/check.ts --data-dir .chaintape --store
//   npx tsx test/independent/check.ts --rpc http://127.0.0.1:8545 --profile profile.json
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { ClientConfig } from 'pg'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import { checkChainViews } from './checkChainViews.ts'
import { compareMarket } from './compare.ts'
import { compareStore } from './compareStore.ts'
import { readDevnetProfile } from './devnetProfile.ts'
import { indexInProcess } from './indexInProcess.ts'
import { readChain, readHeadNumber } from './readChain.ts'
import { readStore } from './readStore.ts'
import { recompute } from './recompute.ts'

const differencesShownMax = 100

const { values } = parseArgs({
  options: {
    rpc: { type: 'string', default: 'http://127.0.0.1:8545' },
    /** JSON of a ChainProfile with `multicall3`. */
    profile: { type: 'string' },
    'data-dir': { type: 'string', default: '.chaintape' },
    /** Compare with what the service has stored, too. */
    store: { type: 'boolean', default: false },
    'database-url': { type: 'string' },
  },
})

type CheckedProfile = ChainProfile & { multicall3: string }

const profile: CheckedProfile = values.profile
  ? JSON.parse(readFileSync(values.profile, 'utf8'))
  : readDevnetProfile(values['data-dir'])
const { multicall3 } = profile
const rpcUrl = values.rpc

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function report(what: string, differences: readonly string[]): void {
  say(
    `${what}: ${differences.length === 0 ? 'no difference' : `${differences.length} differences`}`,
  )
  for (const sentence of differences.slice(0, differencesShownMax)) say(`  ${sentence}`)
  if (differences.length > 0) process.exitCode = 1
}

/** A PostgreSQL by URL, or the private one of a service that runs on this data directory. */
function storeConnection(): ClientConfig {
  const databaseUrl = values['database-url']
  if (databaseUrl) return { connectionString: databaseUrl }
  return { host: resolve(values['data-dir'], 'socket'), user: 'chaintape', database: 'postgres' }
}

const stored = values.store ? await readStore(storeConnection(), profile.name) : undefined
const headNumber = stored?.cursor.number ?? (await readHeadNumber(rpcUrl))
const chain = await readChain({ rpcUrl, headNumber, multicall3 })
const recomputed = recompute(chain, profile)
const { head, pairs, tokens } = recomputed
const trades = [...pairs.values()].reduce((sum, pair) => sum + pair.trades.length, 0)
const holders = [...tokens.values()].reduce((sum, token) => sum + token.holders.size, 0)
say(`Recomputed blocks 0 to ${head.number}: ${pairs.size} pairs, ${trades} trades,`)
say(`${tokens.size} tokens with ${holders} balances.`)

const views = await checkChainViews({ recomputed, rpcUrl, multicall3 })
report(`Against ${views.viewCount} answers of the contracts`, views.differences)

if (stored) report('Against the store', compareStore(recomputed, stored))

const index = indexInProcess({ rpcUrl, profile, multicall3, lastBlock: head.number })
await index.reach(head.hash)
// In and between buckets, a minute on, and when nearly all of a day is over.
const windowsAtS = [0, 7, 61, 86_000].map((laterS) => head.timeS + laterS)
const differences = await compareMarket({ ...index, recomputed, profile, windowsAtS })
report("Against the service's stages", differences)
await index.stop()
