import { databaseConnections } from '../../app/fitOpenFiles.ts'
import { hasNoDatabase, openDatabase } from '../../app/openDatabase.ts'
import { AppError } from '../../lib/errors.ts'
import { describeConnection } from '../../store/connection.ts'
import { type DatabaseFacts, inspectDatabase } from '../../store/inspectDatabase.ts'
import { type DoctorCheck, type DoctorFinding, findingsOf } from './finding.ts'

const clockMsMax = 2_000
const transactionSMax = 300

const { ok, warn, fail } = findingsOf('database')

/** Checks version, schema, locks and size of the configured or private PostgreSQL. */
export const checkDatabase: DoctorCheck = async ({ config, logger, nowMs }) => {
  if (hasNoDatabase(config))
    return [ok('connection', 'None yet: the first start creates a private one in data_dir.')]
  const wanted = databaseConnections + config.limits.read_connections_max
  try {
    const database = await openDatabase(config, { logger })
    try {
      const facts = await inspectDatabase(database.connection, nowMs)
      const isGateway = config.role === 'gateway'
      return databaseFindings(describeConnection(database.connection), facts, { wanted, isGateway })
    } finally {
      await database.stop()
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const advice = error.meta.at(-1) ?? 'Start it, or correct database_url.'
    return [fail('connection', `${error.code}: ${error.shortMessage}`, advice)]
  }
}

/**
 * `wanted`: database connections that a service needs. A gateway creates no tables, so it needs no
 * right to.
 */
export function databaseFindings(
  where: string,
  facts: DatabaseFacts,
  { wanted, isGateway }: { wanted: number; isGateway: boolean },
): DoctorFinding[] {
  const megabytes = (facts.sizeBytes / 1e6).toFixed(0)
  return [
    ok('connection', `PostgreSQL ${facts.version} at ${where}, ${megabytes} MB.`),
    judgeRights(facts, isGateway),
    judgeSchema(facts.schema),
    ok(
      'writers',
      facts.writers === 0
        ? 'No process is writing.'
        : `Writers of ${facts.writers} chains are running.`,
    ),
    facts.waitingLocks === 0
      ? ok('locks', 'No statement waits for a lock.')
      : warn(
          'locks',
          `${facts.waitingLocks} statements wait for a lock.`,
          "SELECT pid, pg_blocking_pids(pid), query FROM pg_stat_activity WHERE wait_event_type = 'Lock' shows which session holds it.",
        ),
    facts.oldestTransactionS <= transactionSMax
      ? ok('transactions', 'No transaction has been open for long.')
      : warn(
          'transactions',
          `A transaction has been open for ${facts.oldestTransactionS} s.`,
          'It blocks vacuum: end it, or set idle_in_transaction_session_timeout for its role.',
        ),
    judgeConnections(facts, wanted),
    Math.abs(facts.clockAheadMs) <= clockMsMax
      ? ok('clock', "Agrees with this machine's clock.")
      : warn(
          'clock',
          `The database's clock is ${(facts.clockAheadMs / 1_000).toFixed(0)} s ahead of this machine's.`,
          'Synchronize both with a time service (chrony, systemd-timesyncd).',
        ),
  ]
}

function judgeRights({ isReplica, canCreate }: DatabaseFacts, isGateway: boolean): DoctorFinding {
  if (isReplica)
    return fail('rights', 'This server is a read-only replica.', 'Configure the primary instead.')
  if (isGateway) return ok('rights', 'A gateway creates no tables.')
  if (!canCreate)
    return fail(
      'rights',
      'The user may not create tables.',
      'As its owner: GRANT CREATE ON SCHEMA public TO <user>',
    )
  return ok('rights', 'The user may write.')
}

function judgeSchema({ found, known }: DatabaseFacts['schema']): DoctorFinding {
  if (found === 0) return ok('schema', 'None yet: the first start creates it.')
  if (found === known) return ok('schema', `${found}, the version of this program.`)
  if (found < known)
    return warn(
      'schema',
      `${found}; this program writes ${known}.`,
      'The next start migrates it: make a backup first.',
    )
  return fail(
    'schema',
    `${found}; this program knows only ${known}.`,
    'Start the newer version again, or restore a backup of this one.',
  )
}

function judgeConnections({ connections, writers }: DatabaseFacts, wanted: number): DoctorFinding {
  const { used, max } = connections
  const text = `${used} of ${max} are in use; a service needs up to ${wanted}.`
  // With a running writer, the service's own connections are already among those in use.
  if (writers > 0 || max - used >= wanted) return ok('connections', text)
  return warn('connections', text, 'Raise max_connections, or lower limits.read_connections_max.')
}
