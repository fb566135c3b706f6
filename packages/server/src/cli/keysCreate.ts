import { type Command, InvalidArgumentError, Option } from 'commander'
import type { KeyPlan } from '../app/openKeys.ts'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

const plans: readonly KeyPlan[] = ['free', 'normal', 'pro', 'unlimited']
const dayS = 86_400

export function addKeysCreate(parent: Command, context: CliContext): void {
  const command = parent
    .command('create')
    .description('Make an API key and show it, once.')
    .argument('<name>', 'what the key is for')
    .addOption(new Option('--plan <plan>', 'what it may use').choices(plans).default('unlimited'))
    .option('--expires-in-days <days>', 'days until it expires; never without', parseDays)
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action((name: string, options) => create(name, options, context))
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a number of days.')
  return Number(text)
}

async function create(
  name: string,
  options: Record<string, unknown>,
  context: CliContext,
): Promise<void> {
  const days = options.expiresInDays as number | undefined
  const nowS = Math.floor(context.nowMs() / 1_000)
  const expiresAtS = days === undefined ? null : nowS + days * dayS
  const plan = options.plan as KeyPlan
  const { id, key } = await withKeys(options, context, (keys) =>
    keys.create({ name, plan, expiresAtS }),
  )
  printResult(context, {
    isJson: options.json === true,
    json: { id, name, plan, key, expires_at: expiresAtS },
    text: () => key,
  })
}
