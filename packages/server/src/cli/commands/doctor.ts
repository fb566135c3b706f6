import type { Command } from 'commander'
import type { Finding } from '../../app/doctor/finding.ts'
import { commandLogger } from '../commandLogger.ts'
import { addConfigOptions, jsonOption, loadFromOptions, storeFlags } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { DoctorFailedError } from '../errors.ts'
import { printResult } from '../terminal/output.ts'

export function fillDoctor(command: Command, context: CliContext): void {
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (options) => {
      const { config } = loadFromOptions(options, context)
      const findings = await context.app.runDoctor({
        config,
        logger: commandLogger(config, context),
        nowMs: () => context.nowMs(),
      })
      const count = (level: Finding['level']) =>
        findings.filter((finding) => finding.level === level).length
      const [failed, warned] = [count('fail'), count('warn')]
      printResult(context, {
        isJson: options.json === true,
        json: { ok: count('ok'), warn: warned, fail: failed, findings },
        lines: () => [
          ...linesOf(findings),
          '',
          `${count('ok')} ok, ${warned} warn, ${failed} fail`,
        ],
      })
      if (failed > 0) throw new DoctorFailedError(failed)
    })
}

/** Under each subject its findings, in their order. */
function linesOf(findings: readonly Finding[]): string[] {
  const subjects = [...new Set(findings.map(({ subject }) => subject))]
  return subjects.flatMap((subject) => [
    subject,
    ...findings.filter((finding) => finding.subject === subject).flatMap(findingLines),
  ])
}

function findingLines({ level, check, text, advice }: Finding): string[] {
  return [
    `  ${level.padEnd(4)}  ${check}: ${text}`,
    ...(advice === null ? [] : [`        To do: ${advice}`]),
  ]
}
