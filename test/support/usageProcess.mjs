// A process that uses a key without pause, with the compiled package, and prints what it counted
// and wrote, until it is killed.
import { createKeyAccess } from '../../packages/server/dist/gateway/keys/createKeyAccess.js'
import { createLogger } from '../../packages/server/dist/lib/logger.js'
import { createMetrics } from '../../packages/server/dist/lib/metrics.js'
import { openStore } from '../../packages/server/dist/store/openStore.js'

const { connection, key, plan, nowMs } = JSON.parse(process.argv[2])
const logger = createLogger('silent')
const store = await openStore({ connection, logger })
// Synchronous writes to the pipe: everything done before a kill has been printed.
const say = (word, value) => process.stdout.write(`${word} ${value}\n`)
let admitted = 0
let written = 0

const access = createKeyAccess({
  store: {
    ...store,
    async addUsage(batch) {
      say('sending', batch.sequence)
      const others = await store.addUsage(batch)
      written += batch.counts.reduce((sum, { cost }) => sum + cost, 0)
      say('written', written)
      return others
    },
  },
  plans: new Map([[plan.name, plan]]),
  clock: { nowMs: () => nowMs },
  logger,
  metrics: createMetrics(),
  limits: { keysMax: 100, trustMs: 5_000, lookupMsMax: 10_000, lookupsMax: 100, flushMs: 20 },
})
const holder = await access.identify(key)
say('before', holder.quota().creditsUsed)
setInterval(() => {
  holder.admit(1, 'token')
  admitted += 1
  say('admitted', admitted)
}, 1)
