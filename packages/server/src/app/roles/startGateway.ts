import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../lib/errors.ts'
import { withNotice } from '../../lib/waitNotice.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { databaseFault } from '../../store/databaseFault.ts'
import { SchemaTooNewError } from '../../store/errors.ts'
import { readSchema } from '../../store/schema.ts'
import { areComplete, examplePairIdOf, waitingOf } from '../chains/chains.ts'
import { warnIfExposed } from '../warnIfExposed.ts'
import { createServe } from './serve.ts'
import type { RoleOptions, StartedRole } from './startedRole.ts'

// Until an indexer has made the tables.
const schemaEveryMs = 250

/** The half that serves, alone: it writes nothing but usage, and has all it serves from the log and the store. */
export async function startGateway(options: RoleOptions): Promise<StartedRole> {
  const { config, database, logger, signal, onFatal, onStep } = options
  const { connection } = database
  onStep({ title: 'Waiting for an indexer to make the database ready' })
  await withNotice(untilSchema(connection, signal), {
    logger,
    waitsFor: 'an indexer of this version, which makes the database ready',
  })
  const serve = createServe({ ...options, isSeeded: () => true })
  const { gatewayChains } = serve.outlet
  const address = await serve.listen()
  const isExposed = warnIfExposed(config.server, address, logger)
  // One that is started again on the same port goes on as the same reader of the log.
  const consumer = `gateway ${hostname()}:${new URL(address).port}`
  void serve.follow(consumer).catch((error: unknown) => {
    const fault = error instanceof AppError ? error : databaseFault(error, 'the log')
    if (!signal.aborted) onFatal(fault)
  })
  return {
    address,
    chains: {
      isComplete: () => areComplete(gatewayChains),
      isServing: () => [...gatewayChains.values()].some(({ reads }) => reads.head() !== null),
      isMining: () => false,
      waiting: () => waitingOf(gatewayChains),
    },
    ready: () => ({
      isExposed,
      apiKey: null,
      keyFrom: config.api_key === undefined ? 'store' : 'config',
      earlierKeysUntilS: null,
      devnetRpcUrl: null,
      localsolRpcUrl: null,
      examplePairId: examplePairIdOf(gatewayChains),
      chains: [...gatewayChains.keys()],
    }),
  }
}

/** Of a newer version nothing is read; for one of an older an indexer of this version is waited for. */
async function untilSchema(connection: StoreConnection, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { found, known } = await readSchema(connection)
    if (found === known) return
    if (found > known) throw new SchemaTooNewError({ found, known })
    await delay(schemaEveryMs, undefined, { signal })
  }
}
