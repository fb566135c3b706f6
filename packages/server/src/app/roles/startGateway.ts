import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../lib/errors.ts'
import { logWhileWaiting } from '../../lib/logWhileWaiting.ts'
import { LogEntryTooNewError } from '../../log/errors.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { databaseFault, SchemaTooNewError } from '../../store/errors.ts'
import { createStore } from '../../store/openStore.ts'
import {
  createPrimaryReads,
  createReplicaReads,
  type HistoryReads,
} from '../../store/replicaReads.ts'
import { readSchema } from '../../store/schema.ts'
import { storeLimitsOf } from '../openDatabase.ts'
import { startSnapshots } from '../snapshots/startSnapshots.ts'
import type { FollowedChain } from './followChain.ts'
import { areAllReady, examplePairIdOf, notReadyChains } from './gatewayChains.ts'
import { createGatewayPart } from './gatewayPart.ts'
import type { RoleOptions, StartedRole } from './startedRole.ts'

// Polling interval until an indexer has created the tables.
const schemaEveryMs = 250

/** Starts a gateway without indexing: it reads the log and the store, and writes only usage. */
export async function startGateway(options: RoleOptions): Promise<StartedRole> {
  const { config, database, logger, signal, onFatal, onStep } = options
  const { connection } = database
  onStep({ title: 'Waiting for an indexer to prepare the database' })
  await logWhileWaiting(untilSchema(connection, signal), {
    logger,
    waitsFor: 'an indexer of this version, which prepares the database',
  })
  const reads = openReads(options)
  const serve = createGatewayPart({ ...options, store: reads.store }, () => true)
  const { gatewayChains } = serve.marketConsumer
  const { address, isExposed } = await serve.listen()
  // Restarting on the same port continues as the same log consumer.
  const consumer = `gateway ${hostname()}:${new URL(address).port}`
  const followed = serve.follow(consumer, reads)
  void followed
    .then((all) => startImages(options, all))
    .catch((error: unknown) => {
      const fault = error instanceof AppError ? error : databaseFault(error, 'the log')
      if (signal.aborted) return
      // Exiting would cause a restart loop, so keep serving and drain clients.
      if (fault instanceof LogEntryTooNewError) serve.drain(fault)
      else onFatal(fault)
    })
  return {
    address,
    chains: {
      isComplete: () => areAllReady(gatewayChains),
      isServing: () => [...gatewayChains.values()].some(({ reads }) => reads.head() !== null),
      isMining: () => false,
      waiting: () => notReadyChains(gatewayChains),
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

/** Writes images of snapshots that the indexer saves, so that a restart need not read those. */
function startImages(
  { config, database: { connection }, metrics, logger, parts }: RoleOptions,
  followed: readonly FollowedChain[],
): void {
  if (parts.signal.aborted) return
  const chains = { list: () => followed.map(({ market }) => market()), readers: () => [] }
  const shared = { config, connection, metrics, logger }
  parts.add('images', startSnapshots({ ...shared, work: 'writeImage', chains }).stop)
}

// Longer than most reads take. After this time the read goes to the primary.
const replicaAnswerMsMax = 10_000

/** Reads history from the replica if one is configured, and else from the primary. */
function openReads({ config, store, floor, logger, parts }: RoleOptions): HistoryReads {
  const { database_read_url: databaseUrl } = config
  if (databaseUrl === undefined) return createPrimaryReads(store, floor)
  const replica = createStore({
    connection: { databaseUrl },
    logger,
    limits: storeLimitsOf(config),
    floor,
    answerMsMax: replicaAnswerMsMax,
  })
  parts.add('replica', replica.close)
  return createReplicaReads({ primary: store, replica, floor, logger })
}

/** Waits for an indexer of this version to migrate the schema. Throws if the schema is newer. */
async function untilSchema(connection: StoreConnection, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { found, known } = await readSchema(connection)
    if (found === known) return
    if (found > known) throw new SchemaTooNewError({ found, known })
    await delay(schemaEveryMs, undefined, { signal })
  }
}
