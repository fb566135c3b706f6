// Encrypted and authenticated connections to NATS, configured as an operator does, against real
// servers.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { natsOptionsOf } from '../../packages/server/src/app/chain/chainLogs.ts'
import type { Config } from '../../packages/server/src/config/schema/schema.ts'
import { connectNats } from '../../packages/server/src/log/nats/natsServer.ts'
import { openNatsStream } from '../../packages/server/src/log/nats/natsStream.ts'
import { type Authority, type CertificateFiles, createAuthority } from '../support/certificates.ts'
import { startDevNode } from '../support/devNode.ts'
import { type NatsServers, startNatsServers } from '../support/natsServers.ts'
import { createDataDir, removeDataDir, urlOf } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import { startService } from '../support/service.ts'
import { startTestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let folder: string
let authority: Authority
let otherAuthority: Authority
let served: CertificateFiles
let guarded: NatsServers

const who = { user: 'tape', password: 'a-password' }
const asTls = (urls: readonly string[]) => urls.map((url) => url.replace('nats:', 'tls:'))

beforeAll(async () => {
  folder = await createDataDir()
  authority = await createAuthority(folder, 'ours')
  otherAuthority = await createAuthority(folder, 'theirs')
  served = await authority.issue('server')
  guarded = await startNatsServers(1, [
    ...['--tls', '--tlscert', served.certFile, '--tlskey', served.keyFile],
    ...['--user', who.user, '--pass', who.password],
  ])
})

afterAll(async () => {
  await guarded?.stop()
  await removeDataDir(folder)
})

type Nats = Config['nats']

/** Connects as the program does with these settings, and creates a stream. */
async function use(nats: Partial<Nats> & Pick<Nats, 'urls'>): Promise<string> {
  const defaults = { replicas: 0, stream_bytes_max: 10_000_000, prefix: 'chaintape' }
  const server = await connectNats(natsOptionsOf({ nats: { ...defaults, ...nats } }))
  onTestFinished(server.close)
  const stream = openNatsStream(server, 1)
  await stream.ensure()
  return stream.name
}

/** The whole error message of a failed connection. */
const refused = (nats: Parameters<typeof use>[0]) =>
  use(nats).then(
    () => 'it works',
    (error: Error) => error.message,
  )

test('default: connects with the servers’ authority and a password', async () => {
  const urls = asTls(guarded.urls)
  expect(await use({ urls, ...who, ca_file: authority.caFile })).toBe('chaintape_1')
})

test('behavior: a configured authority encrypts connections for any URL scheme', async () => {
  expect(await use({ urls: [...guarded.urls], ...who, ca_file: authority.caFile })).toBe(
    'chaintape_1',
  )
})

test('error: another authority, or an unknown one', async () => {
  const urls = asTls(guarded.urls)
  for (const ca_file of [otherAuthority.caFile, undefined])
    expect(await refused({ urls, ...who, ...(ca_file === undefined ? {} : { ca_file }) })).toMatch(
      /certificate[\s\S]*nats\.ca_file/,
    )
})

test('error: a wrong password, or none', async () => {
  const shared = { urls: asTls(guarded.urls), ca_file: authority.caFile }
  for (const wrong of [{ ...who, password: 'another' }, {}])
    expect(await refused({ ...shared, ...wrong })).toMatch(/nats\.user/)
})

test('behavior: a token, and a wrong token', async () => {
  const nats = await startNatsServers(1, [
    ...['--tls', '--tlscert', served.certFile, '--tlskey', served.keyFile],
    ...['--auth', 'a-token'],
  ])
  onTestFinished(nats.stop)
  const shared = { urls: asTls(nats.urls), ca_file: authority.caFile }
  expect(await use({ ...shared, token: 'a-token' })).toBe('chaintape_1')
  expect(await refused({ ...shared, token: 'another' })).toMatch(/nats\.token/)
})

test('behavior: servers that require a client certificate', async () => {
  const nats = await startNatsServers(1, [
    ...['--tlsverify', '--tlscert', served.certFile, '--tlskey', served.keyFile],
    ...['--tlscacert', authority.caFile],
  ])
  onTestFinished(nats.stop)
  const shared = { urls: asTls(nats.urls), ca_file: authority.caFile }
  const of = ({ certFile, keyFile }: CertificateFiles) => ({
    cert_file: certFile,
    key_file: keyFile,
  })
  expect(await use({ ...shared, ...of(await authority.issue('indexer')) })).toBe('chaintape_1')
  expect(await refused(shared)).toMatch('The log cannot be reached.')
})

test('behavior: the program keeps its log there, and names the error of a wrong authority', async () => {
  const postgres = await startTestPostgres()
  onTestFinished(postgres.stop)
  const { dataDir } = postgres
  const database = await postgres.createDatabase()
  const node = await startDevNode({ market: true, seed: 'tls' })
  onTestFinished(node.stop)
  await node.mineMarket()
  const nats = { urls: asTls(guarded.urls), ...who, prefix: 'program' }
  const write = (caFile: string) =>
    writeChainConfig(dataDir, node, {
      settings: { database_url: urlOf(database), nats: { ...nats, ca_file: caFile } },
    })
  const wrong = runProgram([
    'start',
    '--json',
    '--port',
    '0',
    '--config',
    await write(otherAuthority.caFile),
  ])
  expect(await wrong.ended).not.toBe(0)
  expect(wrong.stderr()).toMatch(/NATS_UNAVAILABLE[\s\S]*nats\.ca_file/)
  const service = await startService(dataDir, await write(authority.caFile))
  const { number } = await node.readHead()
  await until('it is at the head', async () => (await service.chainHealth()).head_block === number)
  expect(await service.stop()).toBe(0)
})
