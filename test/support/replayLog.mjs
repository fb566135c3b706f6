// A separate process that reads a log from the store with the compiled package, and prints the
// results.
import { createEngine } from '../../packages/server/dist/engine/engine.js'
import { createLogger } from '../../packages/server/dist/lib/logger.js'
import { decodeEntry } from '../../packages/server/dist/log/entryCodec.js'
import { openStore } from '../../packages/server/dist/store/openStore.js'
import { eventDigest } from './eventDigest.mjs'

const { connection, chainId, profile } = JSON.parse(process.argv[2])
const store = await openStore({ connection, logger: createLogger('silent') })
const engine = createEngine({ profile })
const digests = []
for await (const { bytes } of store.readLog(chainId, 1))
  digests.push(eventDigest(engine.apply(decodeEntry(bytes))))
await store.close()
process.stdout.write(JSON.stringify({ stateHash: engine.stateHash(), digests }))
