// The licenses of npm packages: NOTICE has those of an install for production, the terminal those
// in its bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const licenseFile = /^(licen[cs]e|notice|copying)/i

// The text for packages that name this license and do not contain it.
const mit = `MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/**
 * Folders of the installed packages that the package in `folder` depends on, directly or through
 * others.
 */
export function dependenciesOf(folder, found = new Set()) {
  const { dependencies, optionalDependencies } = readManifest(folder)
  const { resolve } = createRequire(join(folder, 'package.json'))
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const installed = resolve
      .paths(name)
      .map((path) => join(path, name))
      .find((path) => existsSync(join(path, 'package.json')))
    if (installed === undefined || found.has(installed)) continue
    found.add(installed)
    dependenciesOf(installed, found)
  }
  return found
}

/** Folders of the packages that these files belong to. */
export function packagesOf(files) {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
  )
  return new Set(folders)
}

/** Returns a section for each package, sorted by name, without our own packages. */
export function noticesOf(folders) {
  const sections = [...folders].flatMap((folder) => {
    const { name, version, license, author } = readManifest(folder)
    if (name.startsWith('@chaintape/')) return []
    const holder = typeof author === 'string' ? author : author?.name
    const by = holder === undefined ? '' : `, by ${holder}`
    return [`${name} ${version} (${license}${by})\n\n${licenseOf(folder, { name, license })}\n`]
  })
  return [...new Set(sections)].sort().join(`\n${'-'.repeat(80)}\n\n`)
}

function licenseOf(folder, { name, license }) {
  const files = readdirSync(folder).filter((file) => licenseFile.test(file))
  if (files.length > 0)
    return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  if (license === 'MIT') return mit
  throw new Error(`${name} has no license file, and its license is ${license}: add its text.`)
}

// `npm run licenses`: how many packages of an install for production have each license, and which.
if (process.argv[1] === import.meta.filename) {
  const byLicense = new Map()
  for (const folder of dependenciesOf(join(import.meta.dirname, 'packages/server'))) {
    const { name, license = 'none named' } = readManifest(folder)
    if (!name.startsWith('@chaintape/'))
      byLicense.set(license, [...(byLicense.get(license) ?? []), name])
  }
  for (const [license, names] of [...byLicense].toSorted())
    process.stdout.write(`${license} (${names.length}): ${names.toSorted().join(', ')}\n`)
}
