import { type Command, InvalidArgumentError } from 'commander'
import { onStopSignals } from '../../lib/shutdown.ts'
import type { ListenOptions } from '../../ops/listen.ts'
import { type ApiKeyFlags, addApiKeyOptions, apiKeyOf, jsonOption } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printLines } from '../terminal/output.ts'

type ListenFlags = ApiKeyFlags & { url: string; seconds?: number }

export function fillListen(command: Command, context: CliContext): void {
  command
    .argument(
      '<topic>',
      'tx, multi_tx, liq, kline, trending, new_pairs, trades, launches or holders',
    )
    .argument(
      '[params...]',
      'params of the topic, see docs/reference/websocket.md; an id such as 0x12ab-eth counts as address and chain',
    )
  addApiKeyOptions(command)
    .option('--url <address>', 'URL of the service', 'http://127.0.0.1:8080')
    .option(
      '--seconds <count>',
      'stop after this many seconds; without it, on Ctrl-C',
      parseSeconds,
    )
    .option(...jsonOption)
    .addHelpText('after', '\nExample: CHAINTAPE_API_KEY=$KEY chaintape listen kline $PAIR k1')
    .action((topic: string, words: string[], { url, seconds, ...flags }: ListenFlags) => {
      const apiKey = apiKeyOf(flags, command, context)
      return run({ topic, words, url, apiKey }, seconds, context)
    })
}

async function run(
  subscription: Pick<ListenOptions, 'topic' | 'words' | 'url' | 'apiKey'>,
  seconds: number | undefined,
  context: CliContext,
): Promise<void> {
  const stop = new AbortController()
  const timer = seconds === undefined ? undefined : setTimeout(() => stop.abort(), 1_000 * seconds)
  const ignoreSignals = onStopSignals(context.signals, {
    onStop: (signal) => stop.abort(signal),
    exit: context.exit,
    nowMs: () => context.nowMs(),
  })
  try {
    await context.app.listen({
      ...subscription,
      signal: stop.signal,
      onMessage: (text) => printLines(context.stdout, [text]),
    })
  } finally {
    clearTimeout(timer)
    ignoreSignals()
  }
}

function parseSeconds(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}
