import { EventEmitter } from 'node:events'
import { vi } from 'vitest'
import type { StartupInfo } from '../../packages/server/src/app/roles/startedRole.ts'
import type { AppFunctions, CliContext } from '../../packages/server/src/cli/context.ts'
import { runCli } from '../../packages/server/src/cli/runCli.ts'
import { AppError } from '../../packages/server/src/lib/errors.ts'
import type { KeyInfo, Keys } from '../../packages/server/src/ops/openKeys.ts'

export const ready: StartupInfo = {
  address: 'http://127.0.0.1:8080',
  terminalUrl: 'http://127.0.0.1:8080/#token=abc',
  apiKey: 'ct_key',
  keyFrom: 'start',
  earlierKeysUntilS: null,
  chains: ['local'],
  waiting: [],
  isExposed: false,
  devnetRpcUrl: 'http://127.0.0.1:8545',
  localsolRpcUrl: null,
  examplePairId: '0xab-local',
}

const keyInfo: KeyInfo = {
  id: 3,
  accountId: 2,
  name: 'app',
  plan: 'free',
  origin: 'created',
  createdAtS: 1_760_000_000,
  expiresAtS: null,
  revokedAtS: null,
}

function fakeKeys() {
  return {
    create: vi.fn<Keys['create']>(async () => ({ ...keyInfo, key: 'ct_new' })),
    list: vi.fn<Keys['list']>(async () => [{ ...keyInfo, requestCount: 7, creditsUsed: 35 }]),
    rotate: vi.fn<Keys['rotate']>(async (id) =>
      id === 3 ? { ...keyInfo, id: 4, key: 'ct_newer' } : null,
    ),
    expire: vi.fn<Keys['expire']>(async (id, inS) =>
      id === 3 ? { ...keyInfo, expiresAtS: 1_760_000_000 + inS } : null,
    ),
    revoke: vi.fn<Keys['revoke']>(async (id) => (id === 3 ? keyInfo : null)),
    usage: vi.fn<Keys['usage']>(async () => null),
    close: vi.fn<Keys['close']>(async () => {}),
  }
}

/** Runs commands with captured output; `app` replaces functions of the program. */
export function createTestCli(app: Partial<AppFunctions> = {}, input = '') {
  const out: string[] = []
  const err: string[] = []
  const signals = new EventEmitter()
  const exit = vi.fn()
  const keys = fakeKeys()
  const missing = () => Promise.reject(new AppError('NOT_FAKED', 'This test needs it not.'))
  const sink = (lines: string[]) => ({
    write: (text: string) => void lines.push(text),
    isTTY: false,
    columns: 80,
  })
  const context: CliContext = {
    version: '1.2.3',
    stdout: sink(out),
    stderr: sink(err),
    writeBytes: async (bytes) => void out.push(Buffer.from(bytes).toString()),
    readInput: async () => Buffer.from(input),
    ask: null,
    signals,
    exit,
    nowMs: () => 1_760_000_000_000,
    env: { CHAINTAPE_LOG_LEVEL: 'silent' },
    app: {
      startApp: missing,
      runBackfill: missing,
      readStoredStatus: missing,
      openKeys: async () => keys,
      backupData: missing,
      restoreData: missing,
      exportData: missing,
      decodeFile: missing,
      listen: missing,
      checkUrl: missing,
      runDevnet: missing,
      runDoctor: missing,
      serveMcp: missing,
      auditData: missing,
      ...app,
    },
  }
  const run = async (...args: string[]) => {
    const code = await runCli(args, context)
    return { code, out: out.join(''), err: err.join('') }
  }
  return { run, signals, exit, keys, out, context }
}
