# Completes `recortex` in fish. Made by `recortex completion fish`; make it again after an upgrade.

function __recortex_words
    switch "$argv[1]"
# TABLE
    end
end

function __recortex_summary
    switch "$argv[1]"
# SUMMARIES
    end
end

function __recortex
    set -l verb ''
    set -l option ''
    set -l place 1
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    for word in $words[2..-1]
        if test -n "$option"
            set option ''
        else if string match -q -- '-*' $word
            contains -- $word (__recortex_words "$verb ="); and set option $word
        else if test -z "$verb"
            set verb $word
        else
            set place (math $place + 1)
        end
    end
    set -l lead ''
    if test -z "$option"; and string match -q -- '--*=*' $cur
        set option (string split -m 1 = -- $cur)[1]
        set lead "$option="
    end
    set -l key $place
    if test -n "$option"
        set key $option
        if string match -q -- '*,*' $cur; and contains -- $option (__recortex_words "$verb ,")
            set lead (string replace -r '[^,]*$' '' -- $cur)
        end
    else if string match -q -- '-*' $cur
        set key -
    end
    set -l found (__recortex_words "$verb $key")
    if test -z "$found"
        __fish_complete_path $cur
    else if test -z "$verb" -a "$key" = 1
        for word in $found
            printf '%s\t%s\n' $word (__recortex_summary $word)
        end
    else
        printf '%s\n' $lead$found
    end
end

complete -c recortex -f -a '(__recortex)'
