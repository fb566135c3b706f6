import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBinaries } from '../../packages/server/src/store/postgres/binaries.ts'
import { serverFault } from '../../packages/server/src/store/postgres/dataDirectory.ts'
import {
  findPostmaster,
  socketDirectoryOf,
} from '../../packages/server/src/store/postgres/postmaster.ts'
import {
  type PrivatePostgres,
  startPrivatePostgres,
} from '../../packages/server/src/store/postgres/privatePostgres.ts'
import {
  createDataDir,
  silentLogger,
  type TestConnection,
  withClient,
} from '../support/postgres.ts'
import { runProgram } from '../support/program.ts'
import { createSystemInstall, ordinaryUserId } from '../support/systemInstall.ts'
import { until } from '../support/until.ts'

let dataDir: string
const servers: PrivatePostgres[] = []
const owners: ChildProcess[] = []

beforeEach(async () => {
  dataDir = await createDataDir()
})

afterEach(async () => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL')
  for (const server of servers.splice(0)) await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

type StartOptions = {
  onFatal?: (error: Error) => void
  buffersMb?: number
  ownerWaitMs?: number
}

async function start(options: StartOptions = {}): Promise<PrivatePostgres> {
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger, ...options })
  servers.push(server)
  return server
}

async function startOwner(): Promise<ChildProcess> {
  const script = join(import.meta.dirname, '../support/postgresOwner.ts')
  const owner = spawn(process.execPath, ['--import', 'tsx', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  owners.push(owner)
  await once(owner.stdout!, 'data')
  return owner
}

const clusterPid = () => findPostmaster(join(dataDir, 'postgres'))

test('default: starts, keeps data across a restart, stops', async () => {
  const first = await start()
  expect(first.isOwner()).toBe(true)
  await withClient(first.connection, (client) =>
    client.query('CREATE TABLE kept AS SELECT 42 AS answer'),
  )
  await first.stop()
  expect(await clusterPid()).toBe(null)

  const second = await start({ buffersMb: 64 })
  const { rows } = await withClient(second.connection, (client) =>
    client.query(`SELECT answer, current_setting('shared_buffers') AS buffers FROM kept`),
  )
  expect(rows).toEqual([{ answer: 42, buffers: '64MB' }])
})

test('behavior: is reachable through a private socket only', async () => {
  const { connection } = await start()
  const { rows } = await withClient(connection, (client) =>
    client.query(
      `SELECT current_setting('listen_addresses') AS tcp, current_setting('server_encoding') AS encoding,
         (SELECT datcollate FROM pg_database WHERE datname = current_database()) AS collation`,
    ),
  )
  expect(rows).toEqual([{ tcp: '', encoding: 'UTF8', collation: 'C' }])
  expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700)
})

test('behavior: adopts the server of a process that was killed', async () => {
  const owner = await startOwner()
  const pid = await clusterPid()
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  expect(await clusterPid()).toBe(pid)

  const server = await start()
  expect(await clusterPid()).toBe(pid)
  expect(server.isOwner()).toBe(true)
  await server.stop()
  expect(await clusterPid()).toBe(null)
})

test.each([
  ['', {}],
  [', asked once', { ownerWaitMs: 0 }],
])('behavior: leaves the server to the live process that owns it%s', async (_, options) => {
  const owner = await startOwner()
  const guest = await start(options)
  expect(guest.isOwner()).toBe(false)
  const pid = await clusterPid()
  await guest.stop()
  expect(await clusterPid()).toBe(pid)

  const heir = await start(options)
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  await until('the owner is gone', () =>
    withClient(heir.connection, async (client) => {
      const { rows } = await client.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'chaintape launcher'`,
      )
      return rows.length === 1
    }),
  )
  await heir.stop()
  expect(await clusterPid()).toBe(null)
})

test('behavior: an ordinary user runs it from an installation that is read-only for them', async () => {
  const isRoot = process.getuid!() === 0
  const userId = isRoot ? ordinaryUserId : process.getuid!()
  if (isRoot) await chown(dataDir, userId, userId)
  const install = await createSystemInstall()
  try {
    for (const answers of [[42], [42, 43]]) {
      const owner = spawn(process.execPath, [install.script, dataDir], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      owners.push(owner)
      const exit = once(owner, 'exit')
      const [text] = await once(owner.stdout, 'data')
      const { uid, connection } = JSON.parse(text) as { uid: number; connection: TestConnection }
      expect(uid).toBe(userId)
      const { rows } = await withClient(connection, async (client) => {
        await client.query('CREATE TABLE IF NOT EXISTS kept (answer int)')
        await client.query('INSERT INTO kept VALUES ($1)', [answers.at(-1)])
        return client.query<{ answer: number }>('SELECT answer FROM kept ORDER BY answer')
      })
      expect(rows.map(({ answer }) => answer)).toEqual(answers)
      // The server itself writes this file, so its owner is the ordinary user as well.
      expect((await stat(join(dataDir, 'postgres', 'postmaster.pid'))).uid).toBe(userId)
      expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
      expect(await clusterPid()).not.toBe(null)
      owner.stdin.end()
      expect(await exit).toEqual([0, null])
      expect(await clusterPid()).toBe(null)
    }
  } finally {
    await install.remove()
  }
})

test('behavior: Ctrl-C in the terminal does not reach the server', async () => {
  await start()
  const pid = await clusterPid()
  const groupOf = async (process: number) =>
    (await readFile(`/proc/${process}/stat`, 'utf8')).split(') ')[1]!.split(' ')[2]
  expect(await groupOf(pid!)).not.toBe(await groupOf(process.pid))
})

test('behavior: starts despite a stale pid file', async () => {
  const first = await start()
  await first.stop()
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  const lines = ['0', join(dataDir, 'postgres'), '1700000000', '5432', '', '', '1', 'ready']

  await writeFile(pidFile, ['999999999', ...lines.slice(1)].join('\n'))
  await (await start()).stop()

  // Simulates a reused pid: the file names another live process, this one.
  await writeFile(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'))
  const second = await start()
  expect(second.isOwner()).toBe(true)
})

test('behavior: restarts the server after it was killed', async () => {
  const { connection } = await start()
  await withClient(connection, (client) => client.query('CREATE TABLE kept AS SELECT 1 AS x'))
  const pid = await clusterPid()
  process.kill(pid!, 'SIGKILL')
  await until('another server runs', async () => ![null, pid].includes(await clusterPid()))
  const isBack = () =>
    withClient(connection, (client) => client.query('TABLE kept')).then(
      ({ rowCount }) => rowCount === 1,
      () => false,
    )
  await until('it answers', isBack)
})

test('behavior: a long data directory gets a short socket path', () => {
  const long = `/${'long'.repeat(30)}`
  expect(socketDirectoryOf('/data', '/tmp')).toBe('/data/socket')
  expect(socketDirectoryOf(long, '/tmp')).toMatch(/^\/tmp\/chaintape-[0-9a-f]{16}$/)
})

test('behavior: an interrupted first start does not prevent the next one', async () => {
  await mkdir(join(dataDir, 'postgres.new-999999999'))
  await writeFile(join(dataDir, 'postgres.new-999999999', 'PG_VERSION'), '18')
  await start()
  await expect(stat(join(dataDir, 'postgres.new-999999999'))).rejects.toThrow('ENOENT')
})

test('error: PG_VERSION is damaged or from another version', async () => {
  await (await start()).stop()
  const path = join(dataDir, 'postgres', 'PG_VERSION')
  await writeFile(path, 'garbage\n')
  await expect(start()).rejects.toMatchObject({ code: 'STORE_CORRUPT', retryable: false })
  await writeFile(path, '9\n')
  await expect(start()).rejects.toMatchObject({ code: 'STORE_POSTGRES_VERSION' })
  await rm(path)
  await expect(start()).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
})

/** Every file below a directory with its content and modification time. */
async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const facts = files.map(async ({ parentPath, name }) => {
    const file = join(parentPath, name)
    const digest = createHash('sha256').update(await readFile(file))
    return `${file} ${(await stat(file)).mtimeMs} ${digest.digest('hex')}`
  })
  return (await Promise.all(facts)).toSorted()
}

test('error: a directory of another major version is left unchanged, and the error explains the upgrade', async () => {
  const server = await start()
  await withClient(server.connection, (client) =>
    client.query('CREATE TABLE kept AS SELECT 42 AS answer'),
  )
  await server.stop()
  const path = join(dataDir, 'postgres', 'PG_VERSION')
  const own = await readFile(path, 'utf8')
  const other = String(Number(own) - 1)
  await writeFile(path, `${other}\n`)
  const before = await filesIn(dataDir)
  for (const command of ['start --port 0', 'status', 'backup other.ctb', 'keys list']) {
    const program = runProgram([...command.split(' '), '--data-dir', dataDir])
    expect([await program.ended, program.stdout()]).toEqual([1, ''])
    const text = program.stderr()
    expect(text).toContain('STORE_POSTGRES_VERSION')
    expect(text).toContain(`Found: PostgreSQL ${other}`)
    expect(text).toContain(`chaintape backup market.ctb --data-dir ${dataDir}`)
    expect(text).toContain(`chaintape restore market.ctb --data-dir ${dataDir}.${own.trim()}`)
  }
  expect(await filesIn(dataDir)).toEqual(before)
  await writeFile(path, own)
  const { rows } = await withClient((await start()).connection, (client) =>
    client.query('SELECT answer FROM kept'),
  )
  expect(rows).toEqual([{ answer: 42 }])
})

test('error: a damaged control file', async () => {
  await (await start()).stop()
  await writeFile(join(dataDir, 'postgres', 'global', 'pg_control'), Buffer.alloc(8_192, 7))
  await expect(start()).rejects.toMatchObject({ code: 'STORE_CORRUPT', retryable: false })
})

test('error: a damaged write-ahead log', async () => {
  await (await start()).stop()
  await rm(join(dataDir, 'postgres', 'pg_wal'), { recursive: true })
  await mkdir(join(dataDir, 'postgres', 'pg_wal'), { mode: 0o700 })
  await expect(start()).rejects.toMatchObject({ code: 'STORE_CORRUPT', retryable: false })
})

test('error: a setting that the server does not know', async () => {
  await (await start()).stop()
  await appendFile(join(dataDir, 'postgres', 'postgresql.conf'), '\nnonsense = 1\n')
  await expect(start()).rejects.toMatchObject({ code: 'STORE_POSTGRES_START' })
})

test('error: the data directory is a file', async () => {
  const path = join(dataDir, 'file')
  await writeFile(path, '')
  await expect(startPrivatePostgres({ dataDir: path, logger: silentLogger })).rejects.toMatchObject(
    { code: 'STORE_DATA_DIRECTORY' },
  )
})

test('error: no binaries for the platform', async () => {
  await expect(
    openBinaries({ platform: 'plan9', arch: 'mips', fallbackDir: dataDir }),
  ).rejects.toMatchObject({
    code: 'STORE_POSTGRES_MISSING',
    message: expect.stringContaining('--database-url'),
  })
})

test('error: reports the server’s own message', () => {
  const codeOf = (output: string) => serverFault(output, 'here', 'log').code
  expect(codeOf('FATAL:  could not write lock file: No space left on device')).toBe(
    'STORE_DISK_FULL',
  )
  expect(codeOf('PANIC:  could not locate a valid checkpoint record at 0/1')).toBe('STORE_CORRUPT')
  expect(codeOf('unshare: unshare failed: Operation not permitted')).toBe('STORE_POSTGRES_ROOT')
  expect(codeOf('FATAL:  something else')).toBe('STORE_POSTGRES_START')
})
