/**
 * Checks the types of examples, all in one program.
 *
 * An example that imports from the package stands on its own: it imports all that it uses of it. One that
 * does not is a fragment and gets the names of the package. Both get what a reader has (`model`, `signal`,
 * …) from `given.ts`, unless they declare it.
 */
import { join } from "node:path";
import ts from "typescript";
import type { Example } from "./collect-examples.ts";
import { ROOT, textOf } from "./pages.ts";

/** The problems of each example, by its place. */
export function compileExamples(examples: readonly Example[]): ReadonlyMap<string, readonly string[]> {
  const options = compilerOptions();
  const names = importableNames(options);
  const files = new Map(examples.map(({ code }, index) => [fileName(index), completed(code, names)]));
  const program = ts.createProgram([...files.keys()], options, hostWith(files, options));
  return new Map(examples.map(({ place }, index) => [place, problemsOf(program, fileName(index))]));
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  // What is declared to be shown is not used, and an import may be one of a type.
  const loose = { noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false };
  return { ...options, ...loose, isolatedModules: false };
}

/** Beside the tests, so that packages resolve as they do for them. */
function fileName(index: number): string {
  return join(ROOT, "tests/docs", `example-${index}.ts`);
}

const GIVEN = "./given.ts";

/** Where each name that an example need not declare comes from; the root of the package goes first. */
function importableNames({ paths = {} }: ts.CompilerOptions): ReadonlyMap<string, string> {
  const modules = [[GIVEN, "tests/docs/given.ts"], ...Object.entries(paths).map(([name, [file]]) => [name, file])];
  const names = new Map<string, string>();
  for (const [module = "", file = ""] of modules.reverse()) {
    for (const name of exportedNames(parse(textOf(file)))) names.set(name, module);
  }
  return names;
}

function parse(code: string): ts.SourceFile {
  return ts.createSourceFile("example.ts", code, ts.ScriptTarget.Latest, true);
}

/** Exports are listed by hand, so that no type has to be known for it. */
function exportedNames(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      return exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map(({ name }) => name.text) : [];
    }
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    const declarations = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    return isExported ? declarations.flatMap(nameOf) : [];
  });
}

/** The names that a piece of code declares, also in inner scopes. */
function declaredNames(node: ts.Node): ReadonlySet<string> {
  const names = new Set(nameOf(node));
  ts.forEachChild(node, (child) => {
    for (const name of declaredNames(child)) names.add(name);
  });
  return names;
}

/** The name that a node declares, if it is a declaration. */
function nameOf(node: ts.Node): string[] {
  return isDeclaring(node) && node.name !== undefined && ts.isIdentifier(node.name) ? [node.name.text] : [];
}

function isDeclaring(node: ts.Node): node is ts.NamedDeclaration {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportSpecifier(node) ||
    ts.isImportClause(node)
  );
}

function completed(code: string, names: ReadonlyMap<string, string>): string {
  const source = parse(code);
  const declared = declaredNames(source);
  const standsAlone = /from "harness-kit/.test(code);
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !declared.has(node.text)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const imports = [...used].flatMap((name) => {
    const module = names.get(name);
    return module === undefined || (standsAlone && module !== GIVEN) ? [] : [`import { ${name} } from "${module}";`];
  });
  // On one line, so that the lines of the example stay those of its place.
  return `${[...imports, "export {};"].join(" ")}\n${code}`;
}

function hostWith(files: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile.call(host, name, version, ...rest)
      : ts.createSourceFile(name, text, version);
  };
  return host;
}

function problemsOf(program: ts.Program, name: string): string[] {
  const source = program.getSourceFile(name);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return found.map(({ messageText, start = 0 }) => {
    const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line;
    return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}
