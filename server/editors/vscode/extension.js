// Starts `backscope dap` for VS Code, and offers a configuration where there is no launch.json.

const vscode = require('vscode');

const THIS_FILE = {
  type: 'backscope',
  request: 'launch',
  name: 'Backscope: this file',
  program: '${file}',
};
const ON_STAGE = { ...THIS_FILE, name: 'Backscope: this file, shown on the stage', page: true };
const RUNNING = { type: 'backscope', request: 'attach', name: 'Backscope: a program that runs', port: 5678 };
const ON_PYTORCH = { ...THIS_FILE, name: 'Backscope: this file on PyTorch', engine: 'torch' };

/** Registers the debugger. */
exports.activate = (context) => {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory('backscope', {
      createDebugAdapterDescriptor: ({ configuration }) => {
        // The adapter itself attaches to a run of the page.
        if (configuration.request === 'attach' && !configuration.url) return new vscode.DebugAdapterServer(configuration.port, '127.0.0.1');
        const command = vscode.workspace.getConfiguration('backscope').get('command') || 'backscope';
        return new vscode.DebugAdapterExecutable(command, ['dap']);
      },
    }),
    vscode.debug.registerDebugConfigurationProvider('backscope', {
      resolveDebugConfiguration: (_folder, configuration) =>
        configuration.type || configuration.request || configuration.name ? configuration : { ...THIS_FILE },
    }),
    vscode.debug.registerDebugConfigurationProvider(
      'backscope',
      { provideDebugConfigurations: () => [THIS_FILE, ON_STAGE, ON_PYTORCH, RUNNING] },
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type === 'backscope' && event === 'backscopePage') {
        const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
        vscode.commands.executeCommand('simpleBrowser.api.open', vscode.Uri.parse(body.address), beside);
      }
    }),
  );
};
