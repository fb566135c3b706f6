import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type {
  ConnectionOptions,
  MsgHdrs,
  NatsConnection,
  TlsOptions,
} from '@nats-io/transport-node'
import { createSecretRedactor } from '../../lib/redactSecrets.ts'
import { NatsUnavailableError } from '../errors.ts'

/** Addresses of the servers, and our credentials. */
export type NatsOptions = {
  urls: readonly string[]
  user?: string | undefined
  password?: string | undefined
  token?: string | undefined
  /** A file in the form of `nsc`: a JWT and the seed of its key. */
  credentialsFile?: string | undefined
  /** If given, connections are encrypted and the server's certificate is checked. */
  tls?: { caFile?: string; certFile?: string; keyFile?: string } | undefined
  /** Servers that store each message. @default three with three URLs, else one */
  replicas?: number | undefined
  /** Size of one chain's log. A full one refuses, so that ingestion pauses and nothing is lost. */
  streamBytesMax: number
  /** Prefix of stream names: each service on shared servers needs its own. */
  prefix: string
}

/** A connection to JetStream that reconnects for as long as it is open. */
export type NatsServer = {
  options: NatsOptions
  connection: NatsConnection
  client: JetStreamClient
  manager: JetStreamManager
  createHeaders(values: Record<string, string[]>): MsgHdrs
  /** A new unique subject. */
  createInbox(): string
  /** Size limit of one message with its headers. */
  payloadBytesMax: number
  close(): Promise<void>
}

// A reachable server answers within milliseconds; a cluster elects a leader within seconds, which a
// retry covers.
export const answerMsMax = 5_000
const leaderMsMax = 30_000
const temporarilyUnavailable = 10_008
const reconnectEveryMs = 250
// A silently broken connection is detected within two of these.
const pingEveryMs = 2_000

/** Loads the NATS client on demand: most services do not use it. */
export async function connectNats(options: NatsOptions): Promise<NatsServer> {
  const { connect, createInbox, MsgHdrsImpl } = await import('@nats-io/transport-node')
  const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
  try {
    const connection = await connect(await connectionOptionsOf(options))
    const manager = await jetstreamManager(connection, { timeout: answerMsMax, checkAPI: false })
    await untilLed(connection, manager)
    return {
      options,
      connection,
      manager,
      createHeaders: (values) => MsgHdrsImpl.fromRecord(values),
      createInbox: () => createInbox(),
      client: jetstream(connection, { timeout: answerMsMax }),
      payloadBytesMax: connection.info?.max_payload ?? 1_048_576,
      close: () => connection.close(),
    }
  } catch (cause) {
    throw faultOf(options, cause, natsAdvice(String(cause)))
  }
}

/** After a start or the loss of a server, a cluster does not answer until it has a leader. */
async function untilLed(connection: NatsConnection, manager: JetStreamManager): Promise<void> {
  const lateMs = performance.now() + leaderMsMax
  try {
    for (;;) {
      try {
        await manager.getAccountInfo()
        return
      } catch (error) {
        if (!isElecting(error) || performance.now() > lateMs) throw error
        await delay(reconnectEveryMs)
      }
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}

function isElecting(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: number }
  return name === 'TimeoutError' || code === temporarilyUnavailable
}

/** Only hosts: an address may contain a password. */
export function describeNats({ urls }: Pick<NatsOptions, 'urls'>): string {
  return urls.map((url) => url.replace(/^\w+:\/\//, '').replace(/^.*@/, '')).join(', ')
}

/** Converts a failed call to a retryable error. */
export function natsFault(cause: unknown, server: Pick<NatsServer, 'options'>) {
  return faultOf(server.options, cause)
}

function faultOf(options: NatsOptions, cause: unknown, advice?: string): NatsUnavailableError {
  const { urls, password = '', token = '' } = options
  const hide = createSecretRedactor({ urls, words: [password, token] })
  const reason = hide(cause instanceof Error ? cause.message : String(cause))
  return new NatsUnavailableError({ place: describeNats(options), reason, advice })
}

async function connectionOptionsOf(options: NatsOptions): Promise<ConnectionOptions> {
  const { user, password, token, credentialsFile, tls } = options
  const { credsAuthenticator } = await import('@nats-io/transport-node')
  return {
    servers: [...options.urls],
    name: 'chaintape',
    timeout: answerMsMax,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectEveryMs,
    pingInterval: pingEveryMs,
    // Disables stack traces of requests: the client creates two errors per request for them, which
    // took a fifth of the writer's processor time.
    noAsyncTraces: true,
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
    ...(token === undefined ? {} : { token }),
    ...(credentialsFile === undefined
      ? {}
      : { authenticator: credsAuthenticator(await readFile(credentialsFile)) }),
    ...(tls === undefined ? {} : { tls: natsTlsOptionsOf(options.urls, tls) }),
  }
}

/** TLS options in the form of the NATS client, which passes unknown ones to Node. */
type TlsLine = TlsOptions & { checkServerIdentity: ReturnType<typeof createIdentityCheck> }

function natsTlsOptionsOf(urls: readonly string[], tls: TlsOptions): TlsLine {
  const hosts = urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return { ...tls, checkServerIdentity: createIdentityCheck(hosts) }
}

/**
 * For servers given by IP address the client passes no server name, and Node would compare the
 * certificate with 'localhost'. Instead it must match one of the configured addresses.
 */
function createIdentityCheck(hosts: readonly string[]) {
  const addresses = hosts.filter((host) => isIP(host) !== 0)
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    const fault = checkServerIdentity(name, certificate)
    if (fault === undefined || hosts.includes(name)) return fault
    const isOurs = addresses.some((host) => checkServerIdentity(host, certificate) === undefined)
    return isOurs ? undefined : fault
  }
}

/** Advice for a failed connection. */
function natsAdvice(reason: string): string {
  if (/certificate|altnames|signed/i.test(reason))
    return 'nats.ca_file must have who signed their certificates, and these the names or addresses in nats.urls.'
  if (/authorization|authentication/i.test(reason))
    return 'They do not know us: nats.user and nats.password, nats.token or nats.credentials_file.'
  return 'They need JetStream (nats-server -js), and of three at least two.'
}
