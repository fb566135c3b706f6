// Every error of the program, constructed with arguments that stand for any value.
import { expect, test } from 'vitest'
import * as app from '../packages/server/src/app/errors.ts'
import * as audit from '../packages/server/src/audit/errors.ts'
import * as chain from '../packages/server/src/chain/errors.ts'
import * as cli from '../packages/server/src/cli/errors.ts'
import * as config from '../packages/server/src/config/errors.ts'
import * as engine from '../packages/server/src/engine/errors.ts'
import * as ledger from '../packages/server/src/ledger/errors.ts'
import { AppError } from '../packages/server/src/lib/errors.ts'
import * as log from '../packages/server/src/log/errors.ts'
import * as ops from '../packages/server/src/ops/errors.ts'
import * as resolve from '../packages/server/src/resolve/errors.ts'
import * as risk from '../packages/server/src/risk/riskChecker.ts'
import * as backup from '../packages/server/src/store/backup/errors.ts'
import * as store from '../packages/server/src/store/errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: an argument of any type
const anything: any = new Proxy(() => {}, {
  get(_target, name) {
    if (name === Symbol.toPrimitive) return () => 'ANY'
    if (name === Symbol.iterator) return function* () {}
    return anything
  },
  apply: () => anything,
})

const folders = { app, audit, chain, cli, config, engine, ledger, log, ops, resolve, risk, backup }
const classes = Object.entries({ ...folders, store }).flatMap(([folder, module]) =>
  Object.entries(module as Record<string, unknown>)
    .filter(([, value]) => (value as typeof AppError)?.prototype instanceof AppError)
    .map(([name, value]) => [`${folder} ${name}`, value as typeof AppError] as const),
)

test.each(classes)('behavior: %s has a code and is written in sentences', (_name, Failure) => {
  const failure = new Failure(anything, anything)
  const { code, meta, message, retryable } = failure
  // An argument may be the whole message.
  const shortMessage = `${failure.shortMessage}`
  expect(code).toMatch(/^[A-Z][A-Z0-9_]+$/)
  // A message may quote its cause, which ends as it likes.
  expect(shortMessage).toMatch(/^(ANY|[A-Z`"'].*(\.|ANY))$/)
  for (const line of meta) expect(`${line}`).toMatch(/^\S/)
  expect(message.split('\n')[0]).toBe(shortMessage)
  expect([true, false, anything]).toContain(retryable)
})

test('behavior: codes differ between errors', () => {
  const codes = classes.map(([, Failure]) => new Failure(anything, anything).code)
  expect(codes.length).toBeGreaterThan(50)
})
