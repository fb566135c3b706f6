import { natsOptionsOf } from '../../app/chain/chainLogs.ts'
import { isLogOnNats } from '../../config/schema/natsSchema.ts'
import { NatsUnavailableError } from '../../log/errors.ts'
import { connectNats, describeNats, type NatsOptions } from '../../log/nats/natsServer.ts'
import { type DoctorCheck, type DoctorFinding, findingsOf } from './finding.ts'

// A server nearby answers within 1 ms. Every log entry waits for this round trip.
const answerMsPlenty = 50
// With two servers, losing either one stops the log.
const serversPlenty = 3

/** Checks each NATS server, if the log is on NATS. */
export const checkNats: DoctorCheck = async ({ config }) => {
  if (!isLogOnNats(config)) return []
  const options = natsOptionsOf(config)
  const findings = await Promise.all(
    options.urls.map((url) => checkServer({ ...options, urls: [url] })),
  )
  const { ok, warn } = findingsOf('nats')
  const text = `${options.urls.length} configured.`
  return [
    ...findings.flat(),
    options.urls.length >= serversPlenty
      ? ok('servers', text)
      : warn(
          'servers',
          text,
          'The log stops when one server is lost: use three servers, which survive the loss of one.',
        ),
  ]
}

async function checkServer(options: NatsOptions): Promise<DoctorFinding[]> {
  const { ok, warn, fail } = findingsOf(`nats ${describeNats(options)}`)
  try {
    const server = await connectNats(options)
    try {
      const { storage, limits } = await server.manager.getAccountInfo()
      const room = limits.max_storage < 0 ? null : limits.max_storage - storage
      const ms = await server.connection.rtt()
      return [
        ok('connection', `nats-server ${server.connection.info?.version ?? 'of unknown version'}.`),
        ms <= answerMsPlenty
          ? ok('latency', `${ms} ms per request.`)
          : warn(
              'latency',
              `${ms} ms per request.`,
              'Every block waits for this round trip: use a nearer server.',
            ),
        judgeRoom(room, options.streamBytesMax),
      ]
    } finally {
      await server.close()
    }
  } catch (error) {
    if (!(error instanceof NatsUnavailableError)) throw error
    return [
      fail(
        'connection',
        `${error.shortMessage} (${error.reason})`,
        'Start it with JetStream (nats-server -js), or correct nats.urls and the credentials.',
      ),
    ]
  }

  /** `room`: bytes that the account has left; null: unlimited. */
  function judgeRoom(room: number | null, wanted: number): DoctorFinding {
    if (room === null) return ok('room', 'JetStream sets no limit for the account.')
    const text = `JetStream has room for ${(room / 1e9).toFixed(1)} GB.`
    if (room >= wanted) return ok('room', text)
    return warn('room', text, 'A chain may need nats.stream_bytes_max: raise max_file_store.')
  }
}
