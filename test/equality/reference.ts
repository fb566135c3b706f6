// The tree that this one is compared with: an earlier commit, checked out and built below
// `.equality/`.
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

// Commits are named by a file they added: a hash would change with each rebase.
/** The commit whose code is the reference. */
const codeAdded = 'test/equality/dump.ts'
/**
 * The commit whose `test/equality` is run on that code: it dumps more than the commit above did.
 */
const dumpAdded = 'test/equality/stored.ts'

export const root = resolve(import.meta.dirname, '../..')

const run = promisify(execFile)

/**
 * Returns the folder of the reference, which is checked out and built first if it does not exist.
 */
export async function openReference(): Promise<string> {
  const [code, dump] = await Promise.all([codeAdded, dumpAdded].map((file) => adding(file, root)))
  const folder = join(root, '.equality', `${code}-${dump}`)
  const builtFile = join(folder, '.built')
  if (existsSync(builtFile)) return folder
  rmSync(join(root, '.equality'), { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const checkOut = (what: string) =>
    run('bash', ['-o', 'pipefail', '-c', `git archive ${what} | tar -x -C '${folder}'`], {
      cwd: root,
    })
  await checkOut(`${code}`)
  await checkOut(`${dump} test/equality`)
  const lockOf = (tree: string) => readFileSync(join(tree, 'package-lock.json'), 'utf8')
  if (lockOf(folder) === lockOf(root)) linkPackages(folder)
  else await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder })
  await run('npm', ['run', 'build'], { cwd: folder })
  writeFileSync(builtFile, '')
  return folder
}

/** The first commit that added the file. */
export async function adding(file: string, repository: string): Promise<string> {
  const search = ['log', '--diff-filter=A', '--reverse', '--format=%H %P', '--', file]
  const { stdout } = await run('git', search, { cwd: repository })
  const [commit, parent] = stdout.split('\n')[0]!.split(' ')
  // The oldest commit of a shallow clone has no parent and seems to add every file.
  if (!commit || !parent)
    throw new Error(
      `The commit that added ${file} is not in this clone. Fetch all commits: git fetch --unshallow`,
    )
  return commit
}

/** Links the installed packages of this tree; workspaces are the reference's own. */
function linkPackages(folder: string): void {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(join(to, '@chaintape'), { recursive: true })
  for (const name of readdirSync(from))
    if (name !== '@chaintape') symlinkSync(join(from, name), join(to, name))
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(to, '@chaintape', name))
}
