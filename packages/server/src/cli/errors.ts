import { suggestChain } from '../config/findChain.ts'
import { AppError } from '../lib/errors.ts'

/** Something did not stop in time. Stored data is safe; a restart recovers the rest. */
export class StopIncompleteError extends AppError {
  constructor({ outcome, graceMs }: { outcome: 'failed' | 'timedOut'; graceMs: number }) {
    super('STOP_INCOMPLETE', 'Not everything stopped cleanly.', {
      meta: [
        outcome === 'timedOut'
          ? `Waited: ${graceMs} ms`
          : 'The log above names the part that failed.',
      ],
    })
  }
}

/** Ends `status` with code 1, after it has printed the stored state. */
export class NotRunningError extends AppError {
  constructor({ address, otherData }: { address: string; otherData: boolean }) {
    super('NOT_RUNNING', `The service does not run at ${address}.`, {
      meta: otherData
        ? ['A service with another data directory answers there: choose yours with --data-dir.']
        : ['Start it with: chaintape start'],
    })
  }
}

/** `init` never replaces a file. */
export class ConfigExistsError extends AppError {
  constructor(file: string) {
    super('CONFIG_EXISTS', 'The configuration file exists already.', {
      meta: [`File: ${file}`, 'Choose another one with --out FILE.'],
    })
  }
}

/** `init` has no chain or a wrong one. Never contains a URL: it may have a key. */
export class InitChainError extends AppError {
  constructor(reason: string, hints: readonly string[] = []) {
    super('INIT_CHAIN', reason, {
      meta: [...hints, 'Example: chaintape init --chain eth=https://... --chain base=https://...'],
    })
  }
}

/** The findings have the details. */
export class DoctorFailedError extends AppError {
  constructor(count: number) {
    super('DOCTOR_FAILED', `${count} ${count === 1 ? 'check' : 'checks'} failed.`, {
      meta: ['The lines above give advice for each.'],
    })
  }
}

export class KeyNotFoundError extends AppError {
  constructor(id: number) {
    super('KEY_NOT_FOUND', `There is no working API key with the id ${id}.`, {
      meta: ['List them with: chaintape keys list'],
    })
  }
}

export class NoChainsError extends AppError {
  /** `why` says why chains must be named. */
  constructor(
    known: readonly string[],
    wanted: readonly string[],
    { what = 'backfill', why }: { what?: string; why?: string } = {},
  ) {
    super('NO_CHAINS', `No configured chain to ${what}.`, {
      meta: [
        `Configured: ${known.join(', ') || 'none'}`,
        ...(wanted.length > 0 ? [`Asked for: ${wanted.join(', ')}`] : []),
        ...wanted.flatMap((name) => hintsFor(name, known)),
        ...(why === undefined ? [] : [`${why}: --chain NAME`]),
      ],
    })
  }
}

/** Suggests known chains for an unknown name. */
function hintsFor(name: string, known: readonly string[]): string[] {
  if (known.includes(name)) return []
  const near = suggestChain(name, Object.fromEntries(known.map((one) => [one, {}])))
  return near !== null && known.includes(near) ? [`Did you mean ${near}?`] : []
}
