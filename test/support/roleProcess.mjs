// One half of the program in a process of its own, with the compiled package: `ingest` reads the chains and writes log and store,
// `serve` follows the log and answers. Says when it is ready, and ends at the end of its input.

import { openDatabase } from '../../packages/server/dist/app/data/openDatabase.js'
import { seedKeys, seedOptionsOf } from '../../packages/server/dist/app/keys.js'
import { createIngest } from '../../packages/server/dist/app/roles/ingest.js'
import { createServe } from '../../packages/server/dist/app/roles/serve.js'
import { loadConfig } from '../../packages/server/dist/config/load.js'
import { createLogger } from '../../packages/server/dist/lib/logger.js'
import { createMetrics } from '../../packages/server/dist/lib/metrics.js'
import { createShutdown } from '../../packages/server/dist/lib/shutdown.js'
import { createStore } from '../../packages/server/dist/store/openStore.js'

const [role, configFile] = process.argv.slice(2)
const { config } = loadConfig({ file: configFile, flags: { port: '0' }, env: {} })
const logger = createLogger('warn')
const parts = createShutdown({ logger })
const onFatal = (error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
}
const database = await openDatabase(config, { logger })
const store = createStore({ connection: database.connection, logger })
parts.add('store', store.close)
const shared = { config, store, metrics: createMetrics(), logger, parts, onFatal }

async function ingest() {
  const half = createIngest({ ...shared, database })
  await half.start((claims) => seedKeys(store, seedOptionsOf(config, claims)))
  return {}
}

async function serve() {
  const half = createServe({ ...shared, version: '0.0.0', isSeeded: () => true })
  await half.follow('gateway')
  return { address: await half.listen() }
}

const ready = await (role === 'ingest' ? ingest() : serve())
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.stdin.on('end', async () => {
  await parts.stop('end')
  process.exit(0)
})
process.stdin.resume()
