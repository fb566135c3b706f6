import { keyBody } from '@chaintape/protocol'
import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../../config/schema/schema.ts'
import type { Keys, ListedKey } from '../../ops/openKeys.ts'
import { commandLogger } from '../commandLogger.ts'
import {
  addConfigOptions,
  jsonOption,
  loadFromOptions,
  localAddress,
  storeFlags,
} from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { KeyNotFoundError } from '../errors.ts'
import { printLines, printResult, table, timeText } from '../terminal/output.ts'
import { curlWithKey } from '../terminal/readyText.ts'

/** The commands for API keys in the store. */
export function fillKeys(keys: Command, context: CliContext): void {
  keys.option(...jsonOption).helpCommand(false)
  addCreate(keys, context)
  addList(keys, context)
  addRotate(keys, context)
  addExpire(keys, context)
  addRevoke(keys, context)
}

function addCreate(parent: Command, context: CliContext): void {
  const command = parent
    .command('create')
    .description('Create an API key and print it once; a running service accepts it at once.')
    .option('--plan <plan>', 'plan of the configuration that sets its limits', 'free')
    .option('--name <name>', 'what the key is for', parseKeyName)
    .option('--expires-in <seconds>', 'seconds until it expires; without it, never', parseLifetime)
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (options) => {
      const { name = '', plan, expiresIn = null } = options
      await withKeys(options, context, async (keys, config) => {
        const made = await keys.create({ name, plan, expiresInS: expiresIn })
        const json = { key: made.key, ...keyBody(made) }
        printCreatedKey(context, config, { made, json, isJson: options.json === true })
      })
    })
}

type CreatedKey = { made: { key: string; plan: string }; json: object; isJson: boolean }

/**
 * Prints the key to standard output, so that `KEY=$(chaintape keys create)` works, and its use to
 * standard error.
 */
function printCreatedKey(
  context: CliContext,
  config: Config,
  { made, json, isJson }: CreatedKey,
): void {
  printResult(context, { isJson, json, lines: () => [made.key] })
  if (isJson) return
  const url = `${localAddress(config.server)}/v2/supported_chains`
  printLines(context.stderr, [
    `Plan ${made.plan}: ${planText(config, made.plan)}. Other plans: --plan (docs/reference/keys.md).`,
    `Send the key as the header X-API-KEY: ${curlWithKey('$KEY')} ${url}`,
  ])
}

function planText({ plans }: Config, name: string): string {
  // A plan that is no longer configured is served as `free`.
  const { requests_per_s: perS, credits_per_period: credits } = plans[name] ?? plans.free!
  const count = (value: number) => value.toLocaleString('en-US')
  return [
    perS === 0 ? 'no limit of requests' : `${count(perS)} requests/s`,
    credits === 0 ? 'no limit of credit units' : `${count(credits)} credit units a month`,
  ].join(', ')
}

const heads = [
  'id',
  'account',
  'name',
  'plan',
  'created',
  'expires',
  'revoked',
  'requests',
  'credits',
]

function addList(parent: Command, context: CliContext): void {
  const command = parent
    .command('list')
    .description(
      'List the API keys and their usage this month. Only hashes of the keys are stored.',
    )
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (options) => {
      const keys = await withKeys(options, context, (keys) => keys.list())
      printResult(context, {
        isJson: options.json === true,
        json: { keys: keys.map(toJson) },
        lines: () => table([heads, ...keys.map(toRow)]),
      })
    })
}

function toJson(key: ListedKey) {
  return {
    ...keyBody(key),
    period: { requests: key.requestCount, credits: key.creditsUsed },
  }
}

function toRow(key: ListedKey): string[] {
  return [
    `${key.id}`,
    `${key.accountId}`,
    key.name,
    key.plan,
    timeText(key.createdAtS),
    timeText(key.expiresAtS),
    timeText(key.revokedAtS),
    `${key.requestCount}`,
    `${key.creditsUsed}`,
  ]
}

// Time to replace the old key everywhere.
const graceS = 86_400

function addRotate(parent: Command, context: CliContext): void {
  const command = parent
    .command('rotate')
    .description('Replace an API key by a new one; the old key expires after a grace period.')
    .argument('<id>', 'id of the key, from keys list', parseKeyId)
    .option('--grace <seconds>', 'seconds that the old key still works', parseSeconds, graceS)
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (id: number, options) => {
      await withKeys(options, context, async (keys, config) => {
        const made = await keys.rotate(id, options.grace)
        if (made === null) throw new KeyNotFoundError(id)
        const json = { key: made.key, ...keyBody(made), replaces: id }
        printCreatedKey(context, config, { made, json, isJson: options.json === true })
      })
    })
}

function addExpire(parent: Command, context: CliContext): void {
  const command = parent
    .command('expire')
    .description('Set when an API key expires: now, or later.')
    .argument('<id>', 'id of the key, from keys list', parseKeyId)
    .option('--in <seconds>', 'seconds from now', parseSeconds, 0)
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (id: number, options) => {
      const key = await withKeys(options, context, (keys) => keys.expire(id, options.in))
      if (key === null) throw new KeyNotFoundError(id)
      printResult(context, {
        isJson: options.json === true,
        json: keyBody(key),
        lines: () => [`Key ${id} expires at ${timeText(key.expiresAtS)}.`],
      })
    })
}

function addRevoke(parent: Command, context: CliContext): void {
  const command = parent
    .command('revoke')
    .description('Revoke an API key at once and permanently.')
    .argument('<id>', 'id of the key, from keys list', parseKeyId)
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (id: number, options) => {
      const key = await withKeys(options, context, (keys) => keys.revoke(id))
      if (key === null) throw new KeyNotFoundError(id)
      printResult(context, {
        isJson: options.json === true,
        json: { ...keyBody(key), revoked: true },
        lines: () => [`Key ${id} is revoked.`],
      })
    })
}

/** Opens the keys in the store for one operation and always closes them. */
async function withKeys<result>(
  options: Record<string, unknown>,
  context: CliContext,
  run: (keys: Keys, config: Config) => Promise<result>,
): Promise<result> {
  const { config } = loadFromOptions(options, context)
  const logger = commandLogger(config, context)
  const keys = await context.app.openKeys(config, logger, context)
  try {
    return await run(keys, config)
  } finally {
    await keys.close()
  }
}

// A century. To never expire, leave the flag out.
const secondsMax = 3_200_000_000

/** Parses an id of `keys list`. */
function parseKeyId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be the number of a key.')
  return Number(text)
}

function parseSeconds(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > secondsMax)
    throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}

function parseLifetime(text: string): number {
  const seconds = parseSeconds(text)
  if (seconds === 0) throw new InvalidArgumentError('It must be at least one second.')
  return seconds
}

function parseKeyName(text: string): string {
  if (!/^\P{C}{1,100}$/u.test(text))
    throw new InvalidArgumentError('It must have 1 to 100 printable characters.')
  return text
}
