//! The faults that can be planted in the strawman, one per statement of the contract as far as that makes sense.
//!
//! Main type: [`Fault`]. `STRAWMAN_FAULT=slug[,slug…]` switches faults on; each is implemented where a careless
//! author would have made it, behind `fault::on`. Without the variable the strawman keeps the contract. The table
//! also has changes that break no rule (`harmless`) and one crash, for the kill matrix. Nothing here decides which
//! check has to notice a fault.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;

/// The environment variable that switches faults on.
pub(crate) const VARIABLE: &str = "STRAWMAN_FAULT";

/// The environment variable that names the file to keep what was asked for.
const ASKED: &str = "STRAWMAN_ASKED";

macro_rules! faults {
    ($($variant:ident = $slug:literal, $level:literal, $source:literal, $sentence:literal;)*) => {
        /// A mistake that can be switched on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault { $(#[doc = $sentence] $variant,)* }

        /// One line of the table: the fault and what is said about it.
        pub(crate) struct Described {
            /// The fault.
            pub(crate) fault: Fault,
            /// What `STRAWMAN_FAULT` calls it.
            pub(crate) slug: &'static str,
            /// `must`, `should`, `open`, `harmless` or `crash`: the level of the statement it breaks.
            pub(crate) level: &'static str,
            /// The source tag, or the paragraph of the contract.
            pub(crate) source: &'static str,
            /// What goes wrong.
            pub(crate) sentence: &'static str,
        }

        /// Every fault, in the order of the contract.
        pub(crate) const TABLE: &[Described] = &[$(Described {
            fault: Fault::$variant, slug: $slug, level: $level, source: $source, sentence: $sentence,
        },)*];
    };
}

pub(crate) mod graph;

faults! {
    // 1. Where critics are declared
    CheckoutRoster = "checkout-roster", "must", "CO-roster", "critics declared in the checkout's harness-config.yaml can be run";
    CheckoutConfig = "checkout-config", "should", "1.3", "a cli-config.yaml inside the checkout replaces the operator's";
    CheckoutAlwaysMentioned = "checkout-always-mentioned", "open", "1.3", "every command says that harness-config.yaml is not read, whether or not there is one";
    CheckoutFolderHides = "checkout-folder-hides", "should", "1.3", "a .the-loop folder in the checkout keeps the operator's config from being read";
    ConfigFlagIgnored = "config-flag-ignored", "open", "1.2", "--config is ignored";
    ConfigVariableIgnored = "config-variable-ignored", "open", "1.2", "the variable that names the config is ignored";
    MissingConfigAccepted = "missing-config-accepted", "open", "1.2", "a named config that cannot be read counts as empty";
    EmptyVariableNames = "empty-variable-names", "open", "1.2", "an empty variable names a config that cannot be read";
    PromptReadAsFlag = "prompt-read-as-flag", "must", "CR-A2", "a prompt of the form --config=FILE chooses the config";
    BrokenYamlAccepted = "broken-yaml-accepted", "must", "2.4", "a config that does not parse counts as empty";
    CommentsUnparsable = "comments-unparsable", "must", "CR-FC", "a config with a line of comment does not parse";
    CriticsShapeAccepted = "critics-shape-accepted", "must", "2.4", "critics that is no list counts as an empty one";
    ForeignKeysRefused = "foreign-keys-refused", "open", "1.7", "a key at the top of the config that the program does not know is refused";
    PlainScalarsRefused = "plain-scalars-refused", "open", "1.6", "a plain number or boolean in a text place is a wrong type";
    PlainScalarsNormalised = "plain-scalars-normalised", "open", "1.6", "a plain scalar in a text place becomes what YAML 1.1 reads: 4.1, false";
    RepeatedKeyAccepted = "repeated-key-accepted", "open", "1.6", "of a key that stands twice the first one counts";
    SecondDocumentIgnored = "second-document-ignored", "open", "1.6", "a second document in the file is ignored";
    // 2. An entry
    KnownHarnessRefused = "known-harness-refused", "must", "CR-1.1", "a built-in harness without command is refused";
    HarnessWins = "harness-wins", "must", "CR-1.2", "a built-in harness wins over command";
    UnknownHarnessRun = "unknown-harness-run", "must", "CR-1.3", "the name of an unknown harness is run as a command";
    UnknownHarnessRefused = "unknown-harness-refused", "must", "CR-1.3", "an entry of an unknown harness is refused although it has a command";
    NameIsCommand = "name-is-command", "must", "CR-1.3", "an entry with neither command nor harness runs the executable of its name";
    RemediesMissing = "remedies-missing", "must", "CR-1.3", "the refusal of an entry with neither command nor harness names no remedy";
    CriticUnnamed = "critic-unnamed", "must", "CR-1.3", "refusals do not name the critic";
    PlacesUntold = "places-untold", "open", "2.5", "refusals do not say where the entry stands";
    FirstProblemOnly = "first-problem-only", "open", "2.5", "of several problems of an entry only the first is told";
    RunDisabled = "run-disabled", "must", "CR-1.4", "a disabled critic runs";
    DisabledIsSuccess = "disabled-is-success", "must", "CR-FC", "running a disabled critic exits 0 without a round, and leaves an older envelope";
    DisabledHidden = "disabled-hidden", "must", "CR-1.4", "list leaves disabled critics out";
    DisabledListedEnabled = "disabled-listed-enabled", "must", "CR-1.4", "list shows disabled critics as enabled";
    EnabledKeyDisables = "enabled-key-disables", "must", "CR-1.4", "whoever has the key enabled is disabled, whatever it says";
    QuotedEnabledRuns = "quoted-enabled-runs", "must", "CO-enabled", "enabled that is no boolean counts as true";
    FirstDuplicateWins = "first-duplicate-wins", "must", "CR-1.5", "of two entries of one name the first one runs";
    LastDuplicateWins = "last-duplicate-wins", "must", "CR-1.5", "of two entries of one name the last one runs";
    DuplicateSparesOthers = "duplicate-spares-others", "must", "CR-1.5", "a duplicate name elsewhere in the list does not stop a run";
    DuplicateListedValid = "duplicate-listed-valid", "must", "CR-1.5", "list shows duplicates without a reason";
    DuplicatesListed = "duplicates-listed", "open", "2.4", "list shows both entries of one name, invalid, and exits 0";
    UnknownPlaceholderKept = "unknown-placeholder-kept", "must", "CR-2.3", "an unknown placeholder is passed on with its braces";
    UnknownPlaceholderUnnamed = "unknown-placeholder-unnamed", "must", "CR-2.3", "the refusal of an unknown placeholder does not name it";
    SpecDirUnknown = "spec-dir-unknown", "must", "CR-2.3", "{specDir} is refused as unknown";
    NearMissKept = "near-miss-kept", "open", "3.2", "what is all but a placeholder stays as it is";
    BracesRefused = "braces-refused", "open", "CR-2.1", "an argument with braces that are no placeholder is refused";
    NoPlaceholderAccepted = "no-placeholder-accepted", "must", "CR-2.2", "a command that is handed no prompt runs";
    PromptFileNotEnough = "prompt-file-not-enough", "must", "CR-2.2", "a command that has {promptFile} but not {prompt} is refused";
    CommandAloneBreaksList = "command-alone-breaks-list", "must", "CR-4.3", "an old entry with command alone makes list fail";
    ListFailsOnBadEntry = "list-fails-on-bad-entry", "must", "CR-4.3", "one invalid entry makes list fail";
    BadEntryHidden = "bad-entry-hidden", "must", "CR-4.3", "list leaves invalid entries out";
    BadEntryWithoutReason = "bad-entry-without-reason", "must", "CR-4.3", "list shows invalid entries without a reason";
    BadNeighbourBlocksRun = "bad-neighbour-blocks-run", "should", "2.2", "one invalid entry stops the run of a good one";
    TimeoutBelowOneAccepted = "timeout-below-one-accepted", "must", "CO-timeoutSeconds", "a timeoutSeconds between 0 and 1 is accepted and counts as 1";
    LongTimeoutRefused = "long-timeout-refused", "must", "CO-timeoutSeconds", "a timeoutSeconds above the default of 900 is refused";
    FractionalTimeoutRefused = "fractional-timeout-refused", "must", "CO-timeoutSeconds", "a timeoutSeconds with a fraction is refused";
    BadTimeoutDefault = "bad-timeout-default", "must", "CO-timeoutSeconds", "a wrong timeoutSeconds is replaced by the default";
    QuotedTimeoutAccepted = "quoted-timeout-accepted", "open", "CO-timeoutSeconds", "a quoted number is accepted as timeoutSeconds";
    WrongTypeAccepted = "wrong-type-accepted", "must", "2.1", "harness, model, command, cwd or an item of args that is no text counts as absent";
    CommandListRun = "command-list-run", "must", "2.1", "of a command that is a list the first item is run";
    ArgsTextAccepted = "args-text-accepted", "must", "CO-args", "args that is a text or a number counts as a list of one";
    EnvListAccepted = "env-list-accepted", "must", "CO-env", "env that is no map counts as empty, and a value in it that is no text is skipped";
    UnknownFormatAccepted = "unknown-format-accepted", "must", "CO-outputFormat", "an unknown outputFormat counts as text";
    TextFormatRefused = "text-format-refused", "must", "CO-outputFormat", "outputFormat: text is refused, for it is the default";
    NamelessAccepted = "nameless-accepted", "open", "CO-name", "an entry without a name is listed as valid";
    NewKeysRequired = "new-keys-required", "must", "CR-N4", "an entry of a built-in harness without timeoutSeconds is invalid";
    UnknownKeyAccepted = "unknown-key-accepted", "open", "1.5", "unknown keys of an entry are skipped";
    HugeTimeoutCapped = "huge-timeout-capped", "open", "2", "a timeoutSeconds above a year counts as a year";
    EnvNullRefused = "env-null-refused", "open", "2", "null in env is a wrong type";
    EnvNullIgnored = "env-null-ignored", "open", "2", "null in env leaves the inherited variable";
    EnvNamesUnchecked = "env-names-unchecked", "open", "2", "any text is taken for the name of a variable";
    SecretUnwarned = "secret-unwarned", "open", "2.6", "nobody is warned of a secret in env";
    SecretShown = "secret-shown", "open", "2.6", "the warning shows the secret";
    EverythingIsSecret = "everything-is-secret", "open", "2.6", "every value in env is warned of";
    UnknownNameRunsFirst = "unknown-name-runs-first", "must", "CR-FC", "running a name that is not configured runs the first critic";
    NamesCompareLoosely = "names-compare-loosely", "open", "CO-name", "names are compared without case";
    // 3. From entry to process
    BothPromptsAccepted = "both-prompts-accepted", "must", "CC-prompt", "--prompt and --prompt-file together are accepted";
    MissingPromptAccepted = "missing-prompt-accepted", "must", "CC-prompt", "a run without a prompt is accepted";
    FalsyPromptMissing = "falsy-prompt-missing", "must", "CC-prompt", "a prompt of `0` is taken for missing";
    PromptFileUnnoticed = "prompt-file-unnoticed", "must", "CC-prompt", "a prompt that comes by --prompt-file is taken for missing";
    RunAll = "run-all", "must", "CR-A2", "run without a name, or with `all`, runs every critic";
    SecondNameIgnored = "second-name-ignored", "must", "CC-one", "run with two names runs the first one";
    ItemExcludesSpecDir = "item-excludes-spec-dir", "must", "CC-run", "--work-item and --spec-dir together are refused";
    UnknownFlagIgnored = "unknown-flag-ignored", "must", "CC-exit", "an unknown flag is ignored";
    CommaSeparatesNames = "comma-separates-names", "must", "CC-one", "a name with a comma in it counts as several and is refused";
    RootFlagIgnored = "root-flag-ignored", "must", "CC-run", "--root is ignored";
    TimeoutFlagIgnored = "timeout-flag-ignored", "must", "CC-run", "--timeout is ignored";
    OptionLikeRefused = "option-like-refused", "open", "1.4", "a value that looks like a flag is refused";
    AttachedOptionRefused = "attached-option-refused", "open", "1.4", "a value that looks like a flag is refused behind `=` too";
    DashValuesRefused = "dash-values-refused", "open", "3.1", "a value that begins with a dash is refused";
    WorkItemPathAccepted = "work-item-path-accepted", "open", "3.3", "a work item may be a path";
    BadTimeoutFlagAccepted = "bad-timeout-flag-accepted", "open", "3.1", "a --timeout that is a number, but not a finite one above 0, is replaced by the entry's";
    TimeoutWordAccepted = "timeout-word-accepted", "must", "CC-run", "a --timeout that is a word is replaced by the entry's";
    LongTimeoutFlagRefused = "long-timeout-flag-refused", "open", "3.1", "a --timeout above a year is refused";
    SplitArgs = "split-args", "must", "CR-2.1", "an argument with a placeholder is split at white space";
    RescanValues = "rescan-values", "must", "CR-2.1", "values are scanned for placeholders again";
    DropEmptyArgs = "drop-empty-args", "must", "CR-2.1", "empty arguments are dropped";
    ReplaceWholeArgument = "replace-whole-argument", "must", "CR-2.1", "the value replaces the whole argument, not the placeholder in it";
    FirstPlaceholderOnly = "first-placeholder-only", "must", "CR-2.1", "only the first placeholder of an argument is replaced";
    WholeArgumentsOnly = "whole-arguments-only", "must", "CR-2.1", "a placeholder with text beside it in its argument is not replaced";
    OtherArgsTrimmed = "other-args-trimmed", "must", "CR-2.1", "arguments without a placeholder are trimmed";
    EnvPlaceholders = "env-placeholders", "must", "CR-2.1", "placeholders are replaced in env too";
    ModelPlaceholderEmpty = "model-placeholder-empty", "must", "CR-2.1", "{model} is always empty";
    WorkItemIgnored = "work-item-ignored", "must", "CC-run", "{workItem} is always empty";
    SpecDirFlagIgnored = "spec-dir-flag-ignored", "must", "CC-run", "--spec-dir is ignored";
    SpecDirAsTyped = "spec-dir-as-typed", "open", "3.3", "--spec-dir is handed on as typed";
    SpecDirWithoutItem = "spec-dir-without-item", "open", "CC-run", "the default of {specDir} lacks the work item";
    SpecDirNeedsItem = "spec-dir-needs-item", "open", "CC-run", "without a work item {specDir} is empty";
    CwdPlaceholderIsRoot = "cwd-placeholder-is-root", "must", "CR-2.1", "{cwd} is always the root";
    PromptTrimmed = "prompt-trimmed", "must", "CR-2.1", "the prompt is trimmed";
    PromptCut = "prompt-cut", "must", "CR-2.1", "the prompt is cut at 4096 bytes";
    PromptDecoded = "prompt-decoded", "open", "3.1", "a prompt that is not UTF-8 is decoded lossily";
    NulCutsArgument = "nul-cuts-argument", "open", "3.8", "an argument ends at its first NUL";
    NulRefused = "nul-refused", "open", "3.1", "a prompt with a NUL is refused";
    ArgumentLimitsUnexplained = "argument-limits-unexplained", "open", "3.8", "an argument that the system does not take is the system's error";
    PromptEscaped = "prompt-escaped", "must", "CR-A1", "shell metacharacters in values are escaped with a backslash";
    PromptFileEmpty = "prompt-file-empty", "must", "CR-2.1", "the file behind {promptFile} is empty";
    PromptFileLeftBehind = "prompt-file-left-behind", "should", "3.3", "the temporary prompt file is not removed";
    PromptFileReadable = "prompt-file-readable", "open", "3.3", "the temporary prompt file can be read by everyone";
    PromptFileRelative = "prompt-file-relative", "open", "3.3", "{promptFile} is handed on as typed";
    PromptPipeHandedOn = "prompt-pipe-handed-on", "open", "3.1", "a prompt that comes by a pipe is handed on as that pipe, which was read already";
    SharedPromptFile = "shared-prompt-file", "must", "3.3", "all rounds share one ordinary file for an inline prompt, which stays";
    CwdIgnored = "cwd-ignored", "must", "CR-2.6", "the entry's cwd is ignored";
    CwdFlagIgnored = "cwd-flag-ignored", "must", "CC-run", "--cwd is ignored";
    CwdEntryWins = "cwd-entry-wins", "must", "CC-run", "the entry's cwd wins over --cwd";
    CwdIsCallers = "cwd-is-callers", "must", "CR-2.6", "without a cwd the critic runs where the caller is";
    CwdIsConfigs = "cwd-is-configs", "must", "CR-2.6", "without a cwd the critic runs in the folder of the config";
    MissingCwdRefused = "missing-cwd-refused", "open", "3.4", "a missing working directory is a refusal";
    PwdStale = "pwd-stale", "open", "3.4", "PWD stays the caller's";
    SymlinksResolved = "symlinks-resolved", "open", "3.3", "links in the working directory are resolved";
    CwdFlagBelowRoot = "cwd-flag-below-root", "open", "3.3", "--cwd is taken as relative to the root";
    Shell = "shell", "must", "CR-2.4", "the argv is joined and handed to a shell";
    ShellForScripts = "shell-for-scripts", "must", "CR-2.4", "a file the kernel cannot execute is handed to a shell";
    CommandSplit = "command-split", "must", "CO-command", "command is split at white space";
    PathFallback = "path-fallback", "must", "CR-A3", "an absent executable is replaced by one named like the harness";
    PathNotSearched = "path-not-searched", "must", "CR-A3", "a command without a slash is looked for beside the config, not over PATH, and so counts as absent";
    CheckoutFallback = "checkout-fallback", "must", "CR-A3", "an absent executable is replaced by one of that name in the working directory";
    RelativePathSearched = "relative-path-searched", "should", "3.5", "empty and relative elements of PATH are searched";
    PathOfCaller = "path-of-caller", "should", "3.5", "the executable is looked up over the caller's PATH, not the entry's";
    FirstHitTaken = "first-hit-taken", "should", "3.5", "a directory or a file without the run bit hides the good executable later on PATH";
    MissingElementEndsSearch = "missing-element-ends-search", "should", "3.5", "an element of PATH that is not there ends the search";
    LastHitTaken = "last-hit-taken", "should", "3.5", "the last usable hit in PATH is taken";
    CommandRelativeToRoot = "command-relative-to-root", "should", "3.5", "a command with a slash is looked up below the root";
    ArgvZeroResolved = "argv-zero-resolved", "should", "3.5", "argv[0] is the resolved path";
    ArgvZeroIsFileName = "argv-zero-is-file-name", "should", "3.5", "argv[0] is the file name of the command alone";
    EnvCleared = "env-cleared", "must", "CR-2.5", "the child does not inherit the environment";
    EnvNotOverlaid = "env-not-overlaid", "must", "CR-2.5", "the entry's env is ignored";
    EnvInheritedWins = "env-inherited-wins", "must", "CR-2.5", "an inherited variable wins over the entry's";
    StdinInherited = "stdin-inherited", "should", "3.7", "the critic reads the caller's standard input";
    StdinNeverEnds = "stdin-never-ends", "should", "3.7", "the critic's standard input is a pipe that never ends";
    CallersGroup = "callers-group", "should", "3.7", "the critic runs in the caller's process group";
    BlankPromptAccepted = "blank-prompt-accepted", "should", "CR-2.2", "a blank prompt is run";
    WordlessPromptBlank = "wordless-prompt-blank", "should", "CR-2.2", "a prompt without a letter or digit counts as blank";
    AdapterInteractive = "adapter-interactive", "must", "CR-1.1", "the derived argv lacks the one-shot flag";
    AdapterPlain = "adapter-plain", "must", "CR-1.1", "the derived argv does not ask for JSON";
    AdapterModelAlways = "adapter-model-always", "must", "CR-1.1", "the model flag is given without a model";
    AdapterModelNever = "adapter-model-never", "must", "CR-1.1", "the model flag is never given";
    AdapterPromptTwice = "adapter-prompt-twice", "must", "CR-1.1", "the prompt arrives twice";
    OwnDeliveryDoubled = "own-delivery-doubled", "open", "3.10", "a prompt that extra args deliver arrives a second time";
    AdapterPromptMissing = "adapter-prompt-missing", "must", "CR-1.1", "the prompt does not arrive";
    AdapterFlagSpeltOut = "adapter-flag-spelt-out", "open", "3.10", "the one-shot flag is spelt --print";
    ClaudePromptAsArgument = "claude-prompt-as-argument", "open", "3.10", "claude's prompt is an argument";
    AdapterPromptAlwaysArgument = "adapter-prompt-always-argument", "open", "3.10", "cursor's prompt is an argument, however long and whatever it looks like";
    PromptPiped = "prompt-piped", "open", "3.10", "a prompt for the standard input is written into a pipe before anything is read";
    AdapterArgsDropped = "adapter-args-dropped", "open", "CO-args", "the entry's args are dropped for a built-in";
    AdapterArgsFirst = "adapter-args-first", "open", "CO-args", "the entry's args stand before the derived ones";
    // 4. While it runs
    LimitIgnored = "limit-ignored", "must", "CR-N1", "the round has no limit";
    DefaultTimeoutIgnored = "default-timeout-ignored", "open", "CR-N1", "an entry without timeoutSeconds has no limit";
    EntryTimeoutIgnored = "entry-timeout-ignored", "must", "CR-N1", "timeoutSeconds is ignored, the default holds";
    NoKillOnTimeout = "no-kill-on-timeout", "must", "CR-A4", "at the limit the critic is not ended";
    TermOnly = "term-only", "must", "CR-A4", "a critic that ignores TERM is not killed";
    KillOnly = "kill-only", "open", "4.1", "at the limit the critic is killed without a TERM before";
    GraceShort = "grace-short", "open", "4.1", "the grace is 0.7 s";
    StoppedLeftStopped = "stopped-left-stopped", "open", "4.1", "a stopped critic is not continued when it is asked to end";
    KillChildOnly = "kill-child-only", "should", "4.2", "only the critic itself is ended, never what it started";
    KillGroupOnly = "kill-group-only", "should", "4.2", "only the critic's process group is ended";
    TimeoutTrustsExit = "timeout-trusts-exit", "must", "CR-A4", "a critic that exits 0 after its limit counts as a success";
    TimeoutIsSuccess = "timeout-is-success", "must", "CR-3.5", "a timeout is reported ok";
    TimeoutWithoutCause = "timeout-without-cause", "must", "CR-3.5", "the error of a timeout does not say that it was one";
    TimeoutDropsOutput = "timeout-drops-output", "open", "4.5", "what was printed before the limit is lost";
    FailureDropsOutput = "failure-drops-output", "open", "4.5", "what a failed critic printed is lost";
    OrphansLeftOnSuccess = "orphans-left-on-success", "should", "4.2", "after a success what the critic left running is left alone";
    LeftoversAsked = "leftovers-asked", "open", "4.1", "what a critic leaves after its exit gets the whole grace";
    BystandersKilled = "bystanders-killed", "open", "4.2", "processes that were there before the round are ended too: children left to the runner, and whoever shares its environment";
    WaitsForHeldStdout = "waits-for-held-stdout", "should", "4.3", "the round lasts until everyone has closed its output";
    SignalsUnhandled = "signals-unhandled", "should", "4.4", "a signal ends the runner at once";
    SignalLeavesTree = "signal-leaves-tree", "should", "4.4", "after a signal the critic goes on";
    SignalIgnored = "signal-ignored", "should", "4.4", "a signal does not end the round";
    SignalExitsZero = "signal-exits-zero", "should", "4.4", "a round ended by a signal exits 0";
    NohupIgnored = "nohup-ignored", "open", "4.4", "HUP ends the round although it was ignored at the start";
    RepeatedInterruptWaits = "repeated-interrupt-waits", "should", "4.4", "a repeated INT does not skip the grace";
    BadUtf8Fails = "bad-utf8-fails", "must", "CR-3.1", "output that is not UTF-8 fails the round";
    RawBytes = "raw-bytes", "must", "CR-3.1", "bytes that are not UTF-8 are copied into the envelope";
    NulCuts = "nul-cuts", "must", "CR-3.3", "output ends at the first NUL";
    LineEndsNormalised = "line-ends-normalised", "open", "CR-3.3", "CRLF becomes LF";
    EscapesStripped = "escapes-stripped", "must", "CR-3.3", "escape characters are stripped from the output before it is read";
    StderrUnread = "stderr-unread", "must", "CR-N1", "standard error is never read";
    StderrMerged = "stderr-merged", "must", "CR-3.3", "standard error is part of the output";
    StderrIsFailure = "stderr-is-failure", "must", "CR-3.5", "anything on standard error fails the round";
    OutputUnbounded = "output-unbounded", "open", "4.7", "output is collected without a bound";
    OutputSpooled = "output-spooled", "open", "4.7", "output goes into a temporary file without a bound";
    ErrorSpooled = "error-spooled", "open", "4.7", "standard error goes into a temporary file without a bound";
    ErrorHeadKept = "error-head-kept", "open", "4.7", "of much standard error the beginning is kept";
    StdoutIsFile = "stdout-is-file", "must", "CR-3.3", "the critic's standard output is a file, cut short by whoever opens it again";
    LogMissing = "log-missing", "should", "CR-N2", "nothing is logged, no warning either";
    LogWithoutEnd = "log-without-end", "should", "CR-N2", "exit status and duration are not logged";
    LogShowsPrompt = "log-shows-prompt", "should", "CR-N2", "the prompt is logged";
    StdoutDiagnostics = "stdout-diagnostics", "must", "CR-3.6", "the log's line on a failed round goes to standard output too";
    BackgroundService = "background-service", "must", "CC-scope", "each call of list, run and policy leaves a service running";
    ReviewPosted = "review-posted", "must", "CR-X", "a review of a work item is posted with gh where there is a token";
    RoundsCounted = "rounds-counted", "must", "CR-X", "rounds are counted in a file of the checkout, and after two there are no more";
    // 5. The envelope
    MissingCritic = "missing-critic", "must", "CR-3.1", "the envelope lacks critic";
    MissingHarness = "missing-harness", "must", "CR-3.1", "the envelope lacks harness";
    MissingModel = "missing-model", "must", "CR-3.1", "the envelope lacks model";
    MissingAttribution = "missing-attribution", "must", "CR-3.1", "the envelope lacks attribution";
    MissingOk = "missing-ok", "must", "CR-3.1", "the envelope of a failed round lacks ok";
    MissingExitCode = "missing-exit-code", "must", "CR-3.1", "the envelope lacks exitCode";
    MissingDuration = "missing-duration", "must", "CR-3.1", "the envelope lacks durationSeconds";
    MissingOutput = "missing-output", "must", "CR-3.1", "the envelope of a failed round lacks output";
    MissingError = "missing-error", "must", "CR-3.1", "the envelope lacks error";
    MissingUsage = "missing-usage", "must", "CR-3.1", "the envelope lacks usage";
    TwoObjects = "two-objects", "must", "CR-3.1", "an envelope that is copied to a file is printed twice";
    DurationNan = "duration-nan", "must", "CR-3.1", "durationSeconds of a round without an exit code is NaN";
    DurationText = "duration-text", "must", "CR-3.1", "durationSeconds is a text";
    DurationMilliseconds = "duration-milliseconds", "open", "CR-3.1", "durationSeconds is in milliseconds";
    OkText = "ok-text", "must", "CR-3.1", "ok of a failed round is a text";
    HalfPairPassedOn = "half-pair-passed-on", "must", "CR-3.1", "half of a surrogate pair that the critic wrote as an escape is passed on as one";
    NanPassedOn = "nan-passed-on", "must", "CR-3.1", "where the critic reports NaN so does the envelope";
    LoneSurrogate = "lone-surrogate", "must", "CR-3.1", "output that is not ASCII begins with a lone surrogate";
    CriticIsHarness = "critic-is-harness", "must", "CR-3.1", "critic is the harness, not the name";
    AttributionUnbracketed = "attribution-unbracketed", "must", "RR-attribution", "attribution lacks its brackets";
    AttributionIsName = "attribution-is-name", "must", "RR-attribution", "attribution is the critic's name";
    AttributionWithoutDefault = "attribution-without-default", "open", "RR-attribution", "attribution without a model ends after the slash";
    AttributionWithoutName = "attribution-without-name", "open", "RR-attribution", "attribution without a harness starts with the slash";
    NoEnvelopeOnFailure = "no-envelope-on-failure", "must", "CR-3.5", "a failed round prints no envelope";
    WrongExitCodeOnFailure = "wrong-exit-code-on-failure", "must", "CC-exit", "a failed round exits 0";
    FailureExitsTwo = "failure-exits-two", "must", "CC-exit", "a failed round exits 2";
    StdoutPanics = "stdout-panics", "open", "5.9", "a standard output that cannot be written is a panic";
    UnwritableStdoutUnnoticed = "unwritable-stdout-unnoticed", "open", "5.9", "a standard output that cannot be written goes unnoticed";
    SuccessExitsOne = "success-exits-one", "must", "CC-exit", "a successful round with reported usage exits 1";
    CriticsCodePassedOn = "critics-code-passed-on", "must", "CC-exit", "the critic's exit code is passed on";
    AbsentExitsTwo = "absent-exits-two", "must", "CR-3.5", "an absent executable is refused without an envelope";
    OkOnNonZero = "ok-on-non-zero", "must", "CR-3.5", "a critic that exits non-zero is reported ok";
    ErrorEmptyOnFailure = "error-empty-on-failure", "must", "CR-3.5", "a failed round has no error";
    ErrorOnSuccess = "error-on-success", "must", "5.3", "a success has an error";
    ErrorNamesNoCause = "error-names-no-cause", "must", "CR-3.5", "the error only says that the round failed";
    ExitCodeFlattened = "exit-code-flattened", "must", "5.3", "exitCode is 1 for every failure";
    NoCodeIsNumber = "no-code-is-number", "open", "5.3", "exitCode is -1 where the critic had none";
    StripOutput = "strip-output", "must", "CR-3.3", "text output is trimmed";
    OutputCut = "output-cut", "must", "CR-3.3", "output is cut at 4096 bytes";
    TextReadAsJson = "text-read-as-json", "must", "CR-3.3", "text output that is JSON is taken apart";
    JsonRaw = "json-raw", "must", "CR-3.2", "JSON output is never taken apart";
    JsonEmptyWhenNoKey = "json-empty-when-no-key", "must", "CR-3.2", "an object without a text key gives an empty output";
    JsonEmptyWhenNoObject = "json-empty-when-no-object", "must", "CR-3.2", "output that is no object gives an empty output";
    JsonBrokenFails = "json-broken-fails", "must", "CR-3.2", "output that is not JSON fails the round";
    JsonFallbackTrimmed = "json-fallback-trimmed", "must", "CR-3.2", "output that is no object is trimmed";
    JsonFromProse = "json-from-prose", "open", "5.4", "a line of JSON inside prose is taken for the reply";
    WrappingKept = "wrapping-kept", "open", "5.4", "a mark or a terminal sequence around the object makes it text";
    TextKeysUnknown = "text-keys-unknown", "open", "5.4", "only result is known for a text";
    OwnReadingMissed = "own-reading-missed", "open", "5.7", "a built-in without outputFormat is read as text";
    EventsUnread = "events-unread", "open", "5.7", "a built-in's events are text";
    FirstResultTaken = "first-result-taken", "open", "5.7", "of several result events the first one counts";
    LastEventTaken = "last-event-taken", "open", "5.7", "the last event is the result, whatever it is";
    OwnErrorsUntold = "own-errors-untold", "open", "5.7", "what a payload lists under errors is not told";
    UsageFabricated = "usage-fabricated", "must", "CR-3.4", "usage that was not reported is reported as zeros";
    UsageDropped = "usage-dropped", "must", "CR-3.4", "usage that was reported is dropped";
    UsageSwapped = "usage-swapped", "must", "CR-3.4", "input and output tokens are swapped";
    UsageWithoutCost = "usage-without-cost", "must", "CR-3.4", "the cost is dropped";
    UsageWithoutCache = "usage-without-cache", "must", "CR-3.4", "the cache tokens are dropped";
    UsageWithoutNumbers = "usage-without-numbers", "must", "CR-3.4", "usage is present, but without numbers";
    UsageSpellingsUnknown = "usage-spellings-unknown", "open", "5.5", "usage is known in claude's spelling only";
    UsageNullsLeftOut = "usage-nulls-left-out", "open", "5.5", "numbers that were not reported are left out";
    ImpossibleNumbersCounted = "impossible-numbers-counted", "open", "5.5", "negative numbers of tokens are counted";
    ZeroIsUnreported = "zero-is-unreported", "open", "5.5", "a reported zero counts as not reported";
    SilentApproval = "silent-approval", "should", "CR-FC", "a critic that says nothing is a success";
    WordlessIsSilence = "wordless-is-silence", "should", "CR-FC", "an output without a letter or digit counts as silence";
    EmptyReplyApproval = "empty-reply-approval", "should", "CR-FC", "a JSON reply without text is a success";
    IsErrorIgnored = "is-error-ignored", "should", "CR-FC", "a payload that reports its own error is a success";
    ErrorPayloadIgnored = "error-payload-ignored", "should", "CR-FC", "a payload of an error and no text is a success";
    OutputFileMissing = "output-file-missing", "must", "CC-outfile", "--output-file is not written";
    OutputFileByDefault = "output-file-by-default", "must", "CC-outfile", "without --output-file the envelope is written to envelope.json in the root";
    OutputFileDiffers = "output-file-differs", "must", "CC-outfile", "--output-file holds the output alone";
    OutputFileOnly = "output-file-only", "must", "CC-outfile", "with --output-file nothing is printed";
    OutputFileOnSuccessOnly = "output-file-on-success-only", "must", "CC-outfile", "--output-file is not written for a failed round";
    OutputFileNotCutShort = "output-file-not-cut-short", "must", "CC-outfile", "an older and longer output file keeps its end";
    OutputFileEmptiedFirst = "output-file-emptied-first", "open", "5.8", "an older output file is emptied before the round";
    OutputFileOpenedLast = "output-file-opened-last", "open", "5.8", "--output-file is only tried after the round";
    OutputFileParentsMissing = "output-file-parents-missing", "open", "5.8", "folders above --output-file are not made";
    OutputFileReplacesLink = "output-file-replaces-link", "open", "5.8", "a link at --output-file is replaced";
    StaleOutputKept = "stale-output-kept", "open", "5.8", "a refused round leaves an older envelope";
    ForeignOutputRemoved = "foreign-output-removed", "open", "5.8", "a refused round removes whatever is at --output-file";
    CopyNeedsStdout = "copy-needs-stdout", "open", "5.8", "--output-file is written after standard output, and only then";
    CopyLostCostsEnvelope = "copy-lost-costs-envelope", "open", "5.8", "where the copy cannot be written nothing is printed";
    RefusalExitsOne = "refusal-exits-one", "must", "CC-exit", "a refusal of `critic` exits 1";
    RefusalExitsZero = "refusal-exits-zero", "must", "CC-exit", "a refusal of `critic` exits 0";
    RefusalPrints = "refusal-prints", "must", "CC-exit", "a refusal is printed on standard output";
    // 6. list, policy
    ListWithoutName = "list-without-name", "must", "CR-4.1", "list leaves the name out";
    ListWithoutHarness = "list-without-harness", "must", "CR-4.1", "list leaves the harness out";
    ListWithoutModel = "list-without-model", "must", "CR-4.1", "list leaves the model out";
    ListWithoutBinary = "list-without-binary", "must", "CR-4.1", "list leaves the executable out";
    ListWithoutAvailable = "list-without-available", "must", "CR-4.1", "list leaves availability out";
    ListWithoutEnabled = "list-without-enabled", "must", "CR-4.1", "list leaves enabled out";
    ListAlwaysAvailable = "list-always-available", "must", "CR-4.1", "every executable counts as available";
    ListNeverAvailable = "list-never-available", "must", "CR-4.1", "no executable counts as available";
    ListFailsOnUnavailable = "list-fails-on-unavailable", "must", "CR-4.3", "an unavailable executable makes list fail";
    ListFailsOnDisabled = "list-fails-on-disabled", "must", "CR-4.3", "a disabled critic makes list fail";
    ListRuns = "list-runs", "must", "CR-A2", "list starts each executable to ask for its version";
    ListSorted = "list-sorted", "open", "6.1", "list is sorted by name";
    ListEmptySilent = "list-empty-silent", "must", "CR-4.2", "list without critics says nothing";
    ListEmptyFails = "list-empty-fails", "must", "CR-4.2", "list without critics exits 1";
    ListNullRefused = "list-null-refused", "open", "CR-4.2", "critics that is null is refused";
    ListIgnoresFormat = "list-ignores-format", "must", "CC-list", "list --format json prints the table";
    ListJsonByDefault = "list-json-by-default", "must", "CC-list", "list prints JSON by default";
    ControlsRaw = "controls-raw", "open", "6.1", "control characters from the config reach the terminal";
    PolicyKeyMissing = "policy-key-missing", "must", "RR-policy", "policy lacks escalateOnRepeatFinding";
    PolicyExtraKey = "policy-extra-key", "must", "RR-policy", "policy has a fifth key";
    PolicyIgnoresConfig = "policy-ignores-config", "must", "CO-policy", "policy always prints the defaults";
    PolicyWrongDefault = "policy-wrong-default", "must", "RR-policy", "the default of criticReviewCount is 1";
    PolicyBlockReplacesDefaults = "policy-block-replaces-defaults", "must", "CO-policy", "a reviews block that names one key sets the others to zero and false";
    PolicyNeedsConfig = "policy-needs-config", "must", "RR-policy", "policy without a config is refused";
    PolicyWrongTypeAccepted = "policy-wrong-type-accepted", "must", "CO-policy", "a policy value of a wrong type is replaced by the default";
    PolicyNegativeAccepted = "policy-negative-accepted", "must", "CO-policy", "a negative count is accepted";
    PolicyText = "policy-text", "must", "RR-policy", "policy --format json prints text";
    PolicyJsonByDefault = "policy-json-by-default", "open", "6.2", "policy prints JSON by default";
    // What no check may notice, and what proves nothing
    HarmlessCompact = "harmless-compact", "harmless", "5", "the envelope is printed on one line";
    HarmlessNullError = "harmless-null-error", "harmless", "5.3", "the error of a success is null";
    HarmlessFewKeys = "harmless-few-keys", "harmless", "5", "the envelope has no key beyond the ten";
    HarmlessAscii = "harmless-ascii", "harmless", "5", "the envelope is ASCII, everything else is escaped";
    HarmlessWordy = "harmless-wordy", "harmless", "4.8", "the log has many more lines";
    HarmlessSlow = "harmless-slow", "harmless", "kit", "each call takes a second and a half longer";
    Crash = "crash", "crash", "kit", "each call crashes at its start";
}

/// Whether the fault is switched on for this process.
pub(crate) fn on(fault: Fault) -> bool {
    TABLE.iter().any(|described| described.fault == fault && switched(described.slug))
}

/// Whether `slug` is among those that the environment switches on. Whoever never asks does the same without the fault, so that
/// the names of all that were asked for, a line each in the file that [`ASKED`] names, say which runs a fault can change.
fn switched(slug: &str) -> bool {
    if let Some(path) = env::var_os(ASKED) {
        let file = OpenOptions::new().append(true).create(true).open(path);
        // The strawman's own business must not change what it does.
        let _ = file.and_then(|mut file| file.write_all(format!("{slug}\n").as_bytes()));
    }
    let Some(list) = env::var_os(VARIABLE) else { return false };
    list.as_bytes().split(|&byte| byte == b',').any(|word| word.trim_ascii() == slug.as_bytes())
}

/// The first word of the variable that is no slug, so that a misspelt fault never passes for a clean run.
pub(crate) fn misspelt() -> Option<String> {
    let list = env::var_os(VARIABLE)?;
    let list = list.to_string_lossy().into_owned();
    let mut words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
    let slugs = || TABLE.iter().map(|d| d.slug).chain(graph::TABLE.iter().map(|d| d.slug));
    words.find(|word| !slugs().any(|slug| slug == *word)).map(str::to_owned)
}

/// The table as text: slug, level, source and sentence of each fault, separated by tabs.
pub(crate) fn table() -> String {
    let own = TABLE.iter().map(|d| (d.slug, d.level, d.source, d.sentence));
    let lines = own.chain(graph::TABLE.iter().map(|d| (d.slug, d.level, d.source, d.sentence)));
    lines
        .map(|(slug, level, source, text)| format!("{slug}\t{level}\t{source}\t{text}\n"))
        .collect::<Vec<_>>()
        .concat()
}
